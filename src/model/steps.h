// The progress of a whole out of the progress of its steps, all taken as equally long.
#pragma once

#include <cstdint>

#include "limelight/runtime.h"

namespace limelight::detail {

class Steps {
 public:
  Steps(const Run& run, int64_t count) : run_(run), count_(count) {}

  // How the next step runs; lives as long as this.
  Run next() {
    Run step{run_.threads};
    if (run_.progress) {
      step.progress = [this, done = done_](double share) {
        return run_.progress((static_cast<double>(done) + share) / static_cast<double>(count_));
      };
    }
    ++done_;
    return step;
  }

 private:
  const Run& run_;
  int64_t count_, done_ = 0;
};

}  // namespace limelight::detail
