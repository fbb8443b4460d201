// Timing against what the machine can do, measured between the runs that are compared with it.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace limelight::bench {

struct Rate {
  double seconds = 0;  // of one call, the median
  double limit = 0;    // units a second that as many threads can do, the median of those measured between the runs
  double share = 0;    // the median over runs of each run's rate against the limits right before and after it
};

// Runs `call` for about `budget` seconds. A run whose two neighbouring limits differ by more than 5 % is left out: the
// clock or a neighbour changed. The limit is the multiply-add peak for `flop` operations a call, the read bandwidth for
// `bytes`.
Rate measure_flops(double flop, int threads, const std::function<void()>& call, double budget = 2);
Rate measure_reading(double bytes, int threads, const std::function<void()>& call, double budget = 2);

// The median seconds of one call of each of the two, taken in turn.
std::pair<double, double> compare(const std::function<void()>& a, const std::function<void()>& b, double budget = 2);

// Peak resident memory of this process in bytes.
int64_t peak_resident_bytes();

}  // namespace limelight::bench
