// Memory that will be read soon: brought to the cache, line by line, while other work is done.
#pragma once

#include <cstdint>

#include "core/rounding.h"

namespace limelight::detail {

inline constexpr int64_t kCacheLine = 64;  // bytes

struct FetchAhead {
  const void* rows = nullptr;
  int64_t stride = 0, bytes = 0;  // from row to row, and of a row
  int64_t count = 0;
};

// Asks for rows line by line, a few at a time between other work: in one burst they would fill the queue to memory, and
// leave it idle while the work is done. Always inlined: g++ 12 takes a function that only prefetches for one without
// effect and drops its calls.
class LineCursor {
 public:
  [[gnu::always_inline]] explicit LineCursor(const FetchAhead& ahead)
      : row_(static_cast<const char*>(ahead.rows)), stride_(ahead.stride), bytes_(ahead.bytes), rows_(ahead.count) {}

  [[gnu::always_inline]] int64_t lines_of(int64_t rows) const { return rows * ceil_div(bytes_, kCacheLine); }

  [[gnu::always_inline]] void fetch(int64_t lines) {
    for (; lines > 0 && rows_ > 0; --lines) {
      __builtin_prefetch(row_ + offset_);
      offset_ += kCacheLine;
      if (offset_ < bytes_) continue;
      offset_ = 0;
      row_ += stride_;
      --rows_;
    }
  }

 private:
  const char* row_;
  int64_t stride_, bytes_, rows_, offset_ = 0;
};

}  // namespace limelight::detail
