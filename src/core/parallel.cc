// Hands out tasks, keeps the first error, asks the progress callback between tasks.
#include "core/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <string>

#include "core/error.h"

namespace limelight {

int available_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

namespace detail {
namespace {

void ask(const Run& run, const char* where, int64_t done, int64_t count) {
  if (run.progress && !run.progress(static_cast<double>(done) / static_cast<double>(count))) {
    fail_cancelled("[" + std::string(where) + "] stopped by its progress callback after " + std::to_string(done) +
                   " of " + std::to_string(count) + " tasks");
  }
}

struct Shared {
  std::atomic<int64_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;  // guards done and error, and keeps progress calls one at a time
  int64_t done = 0;
  std::exception_ptr error;
};

}  // namespace

void check_threads(const Run& run) {
  if (run.threads < 0) fail_argument("[run] threads: expected 0 or more, found " + std::to_string(run.threads));
}

int thread_count(const Run& run) {
  check_threads(run);
  return run.threads > 0 ? run.threads : available_threads();
}

// Measured, a second thread gains nothing on less than 4.4 us of work, and AVX-512 does 2^19 multiply-adds in 6.
int threads_worth(const Run& run, double multiply_adds) {
  check_threads(run);
  return multiply_adds < 0x1p19 ? 1 : thread_count(run);
}

void parallel_for(int64_t count, const Run& run, const char* where, const std::function<void(int64_t)>& task) {
  if (count <= 0) return;
  check_threads(run);
  const bool alone = run.threads == 1 || count == 1;
  const int threads = alone ? 1 : static_cast<int>(std::min<int64_t>(thread_count(run), count));
  if (threads == 1) {
    for (int64_t index = 0; index < count; ++index) {
      task(index);
      ask(run, where, index + 1, count);
    }
    return;
  }
  Shared shared;
  on_threads(threads, [&] {
    try {
      for (int64_t index; !shared.stop && (index = shared.next++) < count;) {
        task(index);
        const std::lock_guard lock(shared.mutex);
        ask(run, where, ++shared.done, count);
      }
    } catch (...) {
      shared.stop = true;
      const std::lock_guard lock(shared.mutex);
      if (!shared.error) shared.error = std::current_exception();
    }
  });
  if (shared.error) std::rethrow_exception(shared.error);
}

}  // namespace detail
}  // namespace limelight
