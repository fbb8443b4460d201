// Threads from oneTBB's shared pool: an arena bounds how many join in.
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <map>

#include "core/parallel.h"

namespace limelight::detail {

void on_threads(int threads, const std::function<void()>& worker) {
  // Isolated: while this call waits, its threads take up no other work of the caller's, which might wait for this one.
  const auto run = [&] {
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          0, threads, [&](int) { worker(); }, tbb::simple_partitioner());
    });
  };
  // The pool has a thread a processor. Asked for more it would print a warning and give no more.
  const int pool = tbb::info::default_concurrency();
  if (threads > pool) return on_new_threads(threads, worker);
  if (threads == pool) return run();
  // Kept, for a new arena's helpers join too late: 70 us of work on two threads took 73 us in an arena of its own and
  // 37 in one that was there. One a calling thread, so that callers do not wait for each other's places.
  thread_local std::map<int, tbb::task_arena> arenas;
  arenas.try_emplace(threads, threads).first->second.execute(run);
}

}  // namespace limelight::detail
