// Threads made for each call: what the thread sanitizer can follow.
#include <thread>
#include <vector>

#include "core/parallel.h"

namespace limelight::detail {

void on_threads(int threads, const std::function<void()>& worker) {
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(worker);
  worker();
}

}  // namespace limelight::detail
