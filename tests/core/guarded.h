// An array with a page that must not be touched right behind it, or right before it.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "limelight/tensor.h"

namespace limelight::testing {

enum class Guard { kBehind, kBefore };

// Holds `count` elements, all zero. A read or write past the guarded edge ends the test with a signal.
template <class T>
class Guarded {
 public:
  explicit Guarded(int64_t count, Guard guard = Guard::kBehind) : count_(count) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t bytes = static_cast<size_t>(count) * sizeof(T);
    const size_t inside = (bytes + page - 1) / page * page;
    mapped_ = inside + 2 * page;
    memory_ = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    char* first = static_cast<char*>(memory_) + page;
    if (inside > 0 && mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    data_ = reinterpret_cast<T*>(guard == Guard::kBehind ? first + inside - bytes : first);
  }
  // A copy of all elements.
  template <int Rank>
  explicit Guarded(const Tensor<T, Rank>& from, Guard guard = Guard::kBehind) : Guarded(from.count(), guard) {
    std::copy_n(from.data(), from.count(), data_);
  }
  ~Guarded() { munmap(memory_, mapped_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  T* data() const { return data_; }
  int64_t count() const { return count_; }

 private:
  int64_t count_;
  size_t mapped_ = 0;
  void* memory_ = nullptr;
  T* data_ = nullptr;
};

// A contiguous tensor in guarded memory, a copy of `from`.
template <class T, int Rank>
struct GuardedTensor {
  GuardedTensor(const Tensor<T, Rank>& from, Guard guard) : memory(from, guard), sizes(from.sizes()) {}
  TensorView<T, Rank> view() const { return {memory.data(), sizes, row_major(sizes)}; }

  Guarded<T> memory;
  std::array<int64_t, Rank> sizes;
};

}  // namespace limelight::testing
