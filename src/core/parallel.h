// The parallel loop: tasks handed out in ascending order to a bounded number of threads.
#pragma once

#include <cstdint>
#include <functional>

#include "limelight/runtime.h"

namespace limelight::detail {

// Calls task(index) once for every index in [0, count), each handed out when a thread is free, lowest first. With one
// thread or one task it runs on the calling thread. The first exception, or Cancelled when run.progress says no, stops
// the handing out and is rethrown after the tasks under way have ended. `where` names the call in that message.
void parallel_for(int64_t count, const Run& run, const char* where, const std::function<void(int64_t)>& task);

// What run.threads means: 0 is available_threads().
int thread_count(const Run& run);

// The one part that differs between oneTBB (parallel_tbb.cc) and std::thread (parallel_threads.cc): calls worker() on
// `threads` threads, the calling one among them, and returns when all have returned.
void on_threads(int threads, const std::function<void()>& worker);

// The same on threads made for this call (new_threads.cc), however many; on fewer where the system gives no more.
void on_new_threads(int threads, const std::function<void()>& worker);

}  // namespace limelight::detail
