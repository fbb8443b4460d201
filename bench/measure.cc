// Timing against what the machine can do.
#include "bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

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

Rate measure(double units, const std::function<double()>& limit, const std::function<void()>& call, double budget) {
  const int repeats = repeats_of(call);
  std::vector<double> seconds, limits, shares;
  double before = limit();
  for (const double end = now() + budget; now() < end || seconds.size() < 3;) {
    const double took = seconds_of(call, repeats);
    const double after = limit();
    const double mean = (before + after) / 2;
    if (std::abs(after - before) < 0.05 * mean) {
      seconds.push_back(took);
      limits.push_back(mean);
      shares.push_back(units / took / mean);
    }
    before = after;
    if (now() > end + 5 * budget) break;
  }
  if (seconds.empty()) {
    std::cerr << "bench: the machine is too busy: its limits differ by 5 % and more from run to run\n";
    std::exit(1);
  }
  return {.seconds = median(seconds), .limit = median(limits), .share = median(shares)};
}

}  // namespace

Rate measure_flops(double flop, int threads, const std::function<void()>& call, double budget) {
  return measure(
      flop, [threads] { return measure_peak_flops(threads); }, call, budget);
}

Rate measure_reading(double bytes, int threads, const std::function<void()>& call, double budget) {
  return measure(
      bytes, [threads] { return measure_read_bandwidth(threads); }, call, budget);
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

}  // namespace limelight::bench
