// What the machine can do at best, measured in the same run as whatever is compared with it.
#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "kernels/kernels.h"
#include "limelight/runtime.h"
#include "limelight/tensor.h"

namespace limelight {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Threads of its own, all running at once: a pool might give fewer than asked.
template <class Work>
void on_each_thread(int threads, const Work& work) {
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work, i);
  work(0);
}

// The best of five rounds of work, in units a second over all threads; round() returns its units.
template <class Round>
double best_rate(int threads, const Round& round) {
  std::vector<double> rates(static_cast<size_t>(threads));
  on_each_thread(threads, [&](int thread) {
    for (int attempt = 0; attempt < 5; ++attempt) {
      const auto start = Clock::now();
      const double units = round(thread);
      rates[thread] = std::max(rates[thread], units / seconds_since(start));
    }
  });
  double sum = 0;
  for (double rate : rates) sum += rate;
  return sum;
}

void check_threads(const char* where, int threads) {
  if (threads >= 1) return;
  detail::fail_argument("[" + std::string(where) + "] threads: expected 1 or more, found " + std::to_string(threads));
}

}  // namespace

double measure_peak_flops(int threads) {
  check_threads("measure_peak_flops", threads);
  const detail::Kernels& kernels = detail::active_kernels();
  constexpr int64_t kRounds = 4'000'000;  // about 10 ms
  return best_rate(threads, [&](int) { return kernels.spin(kRounds); });
}

double measure_read_bandwidth(int threads) {
  check_threads("measure_read_bandwidth", threads);
  constexpr int64_t kFloats = 48 << 20;  // 192 MiB a thread
  const detail::Kernels& kernels = detail::active_kernels();
  std::vector<Tensor<float, 1>> memory;
  for (int i = 0; i < threads; ++i) memory.emplace_back(std::array<int64_t, 1>{kFloats});
  return best_rate(
      threads, [&](int thread) { return kernels.all_finite(memory[thread].data(), kFloats) ? 4.0 * kFloats : 0.0; });
}

}  // namespace limelight
