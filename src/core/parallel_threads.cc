// The parallel loop without a pool: what the thread sanitizer can follow.
#include "core/parallel.h"

namespace limelight::detail {

void on_threads(int threads, const std::function<void()>& worker) {
  on_new_threads(threads, worker);
}

}  // namespace limelight::detail
