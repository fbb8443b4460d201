// Memory that a thread keeps between calls, handed out piece by piece during one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "limelight/tensor.h"

namespace limelight::detail {

// A scope of the calling thread's scratch: take() hands out uninitialised, 64-byte aligned pieces that live as long as
// the scope. Scopes nest. When the outermost ends the memory is kept as one piece, so a repeated call allocates
// nothing.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  template <class T>
  T* take(int64_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    return static_cast<T*>(take_bytes(static_cast<size_t>(count) * sizeof(T)));
  }

  // The most bytes that the calling thread ever had handed out at once.
  static int64_t most_taken();

 private:
  void* take_bytes(size_t bytes);

  struct Mark {
    size_t block = 0, used = 0, taken = 0;
  };
  Mark mark_;
};

}  // namespace limelight::detail
