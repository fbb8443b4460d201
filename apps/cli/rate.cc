// Limits are measured between the runs, so that both meet the same clock.
#include "rate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace limelight::cli {
namespace {

struct Sample {
  double seconds = 0, before = 0, after = 0;

  double limit() const { return (before + after) / 2; }
  bool steady() const { return std::abs(after - before) < 0.05 * limit(); }
};

double seconds_of(const std::function<void()>& call, int64_t repeats) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < repeats; ++i) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / static_cast<double>(repeats);
}

template <class Value>
double median(const std::vector<Sample>& samples, const Value& value) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(value(sample));
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Rate measure_rate(double work, int64_t runs, const std::function<double()>& limit, const std::function<void()>& call) {
  call();  // warms up
  const auto repeats = std::max<int64_t>(1, static_cast<int64_t>(0.1 / std::max(1e-9, seconds_of(call, 1))));
  std::vector<Sample> steady, all;
  double before = limit();
  while (static_cast<int64_t>(steady.size()) < runs && static_cast<int64_t>(all.size()) < 3 * runs) {
    Sample sample{.seconds = seconds_of(call, repeats), .before = before, .after = limit()};
    before = sample.after;
    all.push_back(sample);
    if (sample.steady()) steady.push_back(sample);
  }
  const std::vector<Sample>& good = steady.empty() ? all : steady;
  Rate rate{.seconds = median(good, [](const Sample& s) { return s.seconds; }), .steady = !steady.empty()};
  rate.reached = work / rate.seconds;
  rate.limit = median(good, [](const Sample& s) { return s.limit(); });
  rate.share = median(good, [work](const Sample& s) { return work / s.seconds / s.limit(); });
  return rate;
}

}  // namespace limelight::cli
