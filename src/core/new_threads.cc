// Threads made for one call.
#include <system_error>
#include <thread>
#include <vector>

#include "core/parallel.h"

namespace limelight::detail {

void on_new_threads(int threads, const std::function<void()>& worker) {
  std::vector<std::jthread> others;
  try {
    for (int i = 1; i < threads; ++i) others.emplace_back(worker);
  } catch (const std::system_error&) {  // no more are to be had: those there are do the work
  }
  worker();
}

}  // namespace limelight::detail
