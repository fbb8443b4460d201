// Timing against the machine's own peak, and the table of results.
#include "bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>

#include "limelight/runtime.h"

namespace limelight::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// Calls that together last about 100 ms: the clock's grain and a single interruption count little, and what the peak
// measurement in between drove from the caches is back soon.
int repeats_of(const std::function<void()>& call) {
  call();
  const double start = now();
  call();
  return std::max(1, static_cast<int>(0.1 / std::max(1e-9, now() - start)));
}

double seconds_of(const std::function<void()>& call, int repeats) {
  const double start = now();
  for (int i = 0; i < repeats; ++i) call();
  return (now() - start) / repeats;
}

}  // namespace

Rate measure(double flop, int threads, const std::function<void()>& call, double budget) {
  const int repeats = repeats_of(call);
  std::vector<double> seconds, peaks, shares;
  double before = measure_peak_flops(threads);
  for (const double end = now() + budget; now() < end || seconds.size() < 3;) {
    seconds.push_back(seconds_of(call, repeats));
    const double after = measure_peak_flops(threads);
    const double peak = (before + after) / 2;
    if (std::abs(after - before) < 0.05 * peak) {
      peaks.push_back(peak);
      shares.push_back(flop / seconds.back() / peak);
    }
    before = after;
    if (seconds.size() > 1000) break;
  }
  Rate rate;
  rate.seconds = median(seconds);
  rate.gflops = flop / rate.seconds * 1e-9;
  rate.peak_gflops = median(peaks) * 1e-9;
  rate.share = median(shares);
  return rate;
}

std::pair<double, double> compare(const std::function<void()>& a, const std::function<void()>& b, double budget) {
  const int repeats_a = repeats_of(a), repeats_b = repeats_of(b);
  std::vector<double> seconds_a, seconds_b;
  for (const double end = now() + budget; now() < end || seconds_a.size() < 3;) {
    seconds_a.push_back(seconds_of(a, repeats_a));
    seconds_b.push_back(seconds_of(b, repeats_b));
  }
  return {median(seconds_a), median(seconds_b)};
}

int64_t peak_resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  }
  return 0;
}

Tensor<float, 4> random_tensor(const std::array<int64_t, 4>& sizes, uint32_t seed) {
  Tensor<float, 4> tensor(sizes);
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::generate_n(tensor.data(), tensor.count(), [&] { return normal(generator); });
  return tensor;
}

Table::Table(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) json_ = json_ || std::strcmp(argv[i], "--json") == 0;
}

void Table::add(Row row) {
  if (!json_) {
    if (rows_.empty()) {
      for (const auto& [name, value] : row)
        std::printf("%*s", static_cast<int>(std::max<size_t>(10, name.size() + 2)), name.c_str());
      std::printf("\n");
    }
    for (const auto& [name, value] : row)
      std::printf("%*s", static_cast<int>(std::max<size_t>(10, name.size() + 2)), value.c_str());
    std::printf("\n");
    std::fflush(stdout);
  }
  rows_.push_back(std::move(row));
}

Table::~Table() {
  if (!json_) return;
  std::printf("[");
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::printf("%s{", r == 0 ? "" : ",\n ");
    for (size_t c = 0; c < rows_[r].size(); ++c) {
      const auto& [name, value] = rows_[r][c];
      const bool quoted = value.find_first_not_of("0123456789.-") != std::string::npos;
      std::printf("%s\"%s\": %s%s%s", c == 0 ? "" : ", ", name.c_str(), quoted ? "\"" : "", value.c_str(),
                  quoted ? "\"" : "");
    }
    std::printf("}");
  }
  std::printf("]\n");
}

std::string number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  return text;
}

}  // namespace limelight::bench
