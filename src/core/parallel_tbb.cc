// Threads from oneTBB's shared pool: an arena bounds how many join in.
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "core/parallel.h"

namespace limelight::detail {

void on_threads(int threads, const std::function<void()>& worker) {
  // The pool has a thread a processor. Asked for more it would print a warning and give no more.
  if (threads > tbb::info::default_concurrency()) return on_new_threads(threads, worker);
  tbb::task_arena arena(threads);
  arena.execute([&] {
    tbb::parallel_for(
        0, threads, [&](int) { worker(); }, tbb::simple_partitioner());
  });
}

}  // namespace limelight::detail
