// Asking for lines of memory ahead of time.
#if defined(LIMELIGHT_KERNELS_AHEAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_AHEAD_INL_H_
#undef LIMELIGHT_KERNELS_AHEAD_INL_H_
#else
#define LIMELIGHT_KERNELS_AHEAD_INL_H_
#endif

#include <cstdint>

#include "core/rounding.h"
#include "hwy/highway.h"
#include "kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {

// Asks for rows line by line, a few at a time between other work: in one burst they would fill the queue to memory, and
// leave it idle while the work is done.
class LineCursor {
 public:
  explicit HWY_INLINE LineCursor(const FetchAhead& ahead)
      : row_(static_cast<const char*>(ahead.rows)), stride_(ahead.stride), bytes_(ahead.bytes), rows_(ahead.count) {}

  HWY_INLINE int64_t LinesOf(int64_t rows) const { return rows * ceil_div(bytes_, kLine); }

  HWY_INLINE void Fetch(int64_t lines) {
    for (; lines > 0 && rows_ > 0; --lines) {
      __builtin_prefetch(row_ + offset_);
      offset_ += kLine;
      if (offset_ < bytes_) continue;
      offset_ = 0;
      row_ += stride_;
      --rows_;
    }
  }

 private:
  static constexpr int64_t kLine = 64;

  const char* row_;
  int64_t stride_, bytes_, rows_, offset_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
