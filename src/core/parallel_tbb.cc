// Threads from oneTBB's shared pool: an arena bounds how many join in.
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <map>
#include <stdexcept>

#include "core/parallel.h"

namespace limelight::detail {

namespace {

void on_pool(int threads, const std::function<void()>& worker) {
  // Isolated: while this call waits, its threads take up no other work of the caller's, which might wait for this one.
  const auto run = [&] {
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          0, threads, [&](int) { worker(); }, tbb::simple_partitioner());
    });
  };
  if (threads == tbb::info::default_concurrency()) return run();
  // Kept, for a new arena's helpers join too late: 70 us of work on two threads took 73 us in an arena of its own and
  // 37 in one that was there. One a calling thread, so that callers do not wait for each other's places.
  thread_local std::map<int, tbb::task_arena> arenas;
  arenas.try_emplace(threads, threads).first->second.execute(run);
}

}  // namespace

void on_threads(int threads, const std::function<void()>& worker) {
  // The pool has a thread a processor. Asked for more it would print a warning and give no more.
  if (threads > tbb::info::default_concurrency()) return on_new_threads(threads, worker);
  try {
    on_pool(threads, worker);
  } catch (const std::runtime_error&) {  // the system gives no more threads: this one does what is left
    worker();
  }
}

}  // namespace limelight::detail
