// How fast a call runs, beside what the machine itself does in the same run.
#pragma once

#include <cstdint>
#include <functional>

namespace limelight::cli {

// Medians over runs.
struct Rate {
  double seconds = 0;  // of one call
  double reached = 0;  // work a second
  double limit = 0;    // measured right before and after each run
  double share = 0;    // of each run's own limit
  bool steady = true;  // false: in no run did the limit stay as it was, so the share is unsure
};

// Runs `call`, which does `work`, in runs of about 0.1 s until `runs` of them are good. One whose limits before and
// after differ by more than 5 % is not: the clock or a neighbour changed. After 3 `runs` no more are tried.
Rate measure_rate(double work, int64_t runs, const std::function<double()>& limit, const std::function<void()>& call);

}  // namespace limelight::cli
