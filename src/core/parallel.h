// The parallel loop: tasks handed out in ascending order to a bounded number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "core/rounding.h"
#include "limelight/runtime.h"

namespace limelight::detail {

// Calls task(index) once for every index in [0, count), each handed out when a thread is free, lowest first. With one
// thread or one task it runs on the calling thread. The first exception, or Cancelled when run.progress says no, stops
// the handing out and is rethrown after the tasks under way have ended. `where` names the call in that message.
void parallel_for(int64_t count, const Run& run, const char* where, const std::function<void(int64_t)>& task);

// Calls task(row) once for every row in [0, rows). Consecutive rows of about kBlockFloats floats together are one task
// of parallel_for, 3 to 6 us of the cheapest work; one block stays on the calling thread (a second one gains nothing on
// less than 4.4 us of work).
inline constexpr int64_t kBlockFloats = 16384;
template <class Task>
void for_each_row(int64_t rows, int64_t columns, const Run& run, const char* where, const Task& task) {
  const int64_t block = std::max<int64_t>(1, kBlockFloats / std::max<int64_t>(1, columns));
  parallel_for(ceil_div(rows, block), run, where, [&](int64_t index) {
    const int64_t end = std::min(rows, (index + 1) * block);
    for (int64_t row = index * block; row < end; ++row) task(row);
  });
}

// Throws std::invalid_argument unless run.threads is at least 0.
void check_threads(const Run& run);

// What run.threads means: 0 is available_threads(), a call of the system.
int thread_count(const Run& run);

// The threads worth waking for so many multiply-adds: as many as asked, or the calling one alone.
int threads_worth(const Run& run, double multiply_adds);

// Tasks to cut work into for so many threads: four each even out tasks of unequal work.
constexpr int64_t tasks_for(int threads) {
  return int64_t{4} * threads;
}

// The one part that differs between oneTBB (parallel_tbb.cc) and std::thread (parallel_threads.cc): calls worker() on
// `threads` threads, the calling one among them, and returns when all have returned.
void on_threads(int threads, const std::function<void()>& worker);

// The same on threads made for this call (new_threads.cc), however many; on fewer where the system gives no more.
void on_new_threads(int threads, const std::function<void()>& worker);

}  // namespace limelight::detail
