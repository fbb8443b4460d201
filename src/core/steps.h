// The progress of a whole out of that of its parts.
#pragma once

#include <cmath>
#include <cstdint>

#include "limelight/runtime.h"

namespace limelight::detail {

// How the part of `whole` between two shares of its way runs; `whole` must outlive it.
inline Run part_of(const Run& whole, double from, double to) {
  Run part{whole.threads};
  if (whole.progress) {
    part.progress = [&whole, from, to](double done) { return whole.progress(std::lerp(from, to, done)); };
  }
  return part;
}

// Parts that are taken as equally long.
class Steps {
 public:
  Steps(const Run& run, int64_t count) : run_(run), count_(static_cast<double>(count)) {}

  // How the next one runs.
  Run next() {
    const double from = done_++ / count_;
    return part_of(run_, from, done_ / count_);
  }

 private:
  const Run& run_;
  double count_, done_ = 0;
};

}  // namespace limelight::detail
