// A wait is short, some microseconds of another task's work: spin, and give the processor away now and then.
#include "core/turns.h"

#include <thread>

namespace limelight::detail {

Turns::Turns(int64_t places) : passed_(std::make_unique<std::atomic<int64_t>[]>(static_cast<size_t>(places))) {}

bool Turns::wait(int64_t place, int64_t turn) const {
  constexpr int kSpins = 4096;
  for (int spin = 1; passed_[static_cast<size_t>(place)].load(std::memory_order_acquire) != turn; ++spin) {
    if (failed_.load(std::memory_order_relaxed)) return false;
    if (spin % kSpins == 0) std::this_thread::yield();
  }
  return true;
}

void Turns::pass(int64_t place) {
  passed_[static_cast<size_t>(place)].fetch_add(1, std::memory_order_release);
}

void Turns::fail() {
  failed_.store(true, std::memory_order_relaxed);
}

}  // namespace limelight::detail
