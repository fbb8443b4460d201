// Few query rows against keys where they lie: each vector of keys is transposed in registers and used at once, while
// the keys and values further on are on their way from memory.
#if defined(LIMELIGHT_KERNELS_FEW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_FEW_INL_H_
#undef LIMELIGHT_KERNELS_FEW_INL_H_
#else
#define LIMELIGHT_KERNELS_FEW_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "core/ahead.h"
#include "core/rounding.h"
#include "hwy/highway.h"
#include "kernels/kernels.h"
#include "kernels/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows at once: as many sums, four vectors of keys and a factor fit the registers.
constexpr int kFewRows = kRows == 6 ? 8 : 4;

// The same four vectors for fewer keys than lanes, or less than four of depth.
HWY_INLINE void TransposeRest(const float* src, int64_t key_stride, int64_t keys, int64_t depth, Vector (&x)[4]) {
  HWY_ALIGN float scratch[4 * kLanes] = {};
  for (int64_t n = 0; n < keys; ++n) {
    for (int64_t k = 0; k < depth; ++k) scratch[k * kLanes + n] = src[n * key_stride + k];
  }
  for (int64_t k = 0; k < 4; ++k) x[k] = hn::Load(F32(), scratch + k * kLanes);
}

// sum[i] += a[i] x for one element of the depth.
template <int R>
HWY_INLINE void AddColumn(const float* HWY_RESTRICT a, int64_t a_stride, Vector x, Vector (&sum)[R]) {
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i) sum[i] = hn::MulAdd(hn::Set(F32(), a[i * a_stride]), x, sum[i]);
}

// What a float of a key row holds: itself, or a pair of bf16, the even element in the lower half.
struct OneFloat {
  static constexpr int64_t kElements = 1;
  template <int R>
  static HWY_INLINE void Add(const float* a, int64_t a_stride, Vector x, Vector (&sum)[R]) {
    AddColumn(a, a_stride, x, sum);
  }
};
struct PairOfBf16 {
  static constexpr int64_t kElements = 2;
  template <int R>
  static HWY_INLINE void Add(const float* a, int64_t a_stride, Vector x, Vector (&sum)[R]) {
    const F32 d;
    const hn::RebindToUnsigned<F32> du;
    const auto pair = hn::BitCast(du, x);
    AddColumn(a, a_stride, hn::BitCast(d, hn::ShiftLeft<16>(pair)), sum);
    AddColumn(a + 1, a_stride, hn::BitCast(d, hn::And(pair, hn::Set(du, 0xffff0000u))), sum);
  }
};

// R rows against up to a vector of keys: one chain a product, ascending.
template <int R, class Element>
HWY_INLINE void FewByVector(const KeyProduct& work, int64_t row, int64_t key, LineCursor& next, int64_t lines) {
  const F32 d;
  const float* a = work.a + row * work.a_stride;
  const float* keys = work.keys + key * work.key_stride;
  const int64_t count = std::min(kLanes, work.count - key);
  Vector sum[R];
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i) sum[i] = hn::Zero(d);
  Vector x[4];
  int64_t k = 0;
  for (; k + 4 <= work.depth && count == kLanes; k += 4) {
    TransposeFour(keys + k, work.key_stride, x);
    next.fetch(lines);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) Element::Add(a + (k + j) * Element::kElements, work.a_stride, x[j], sum);
  }
  for (; k < work.depth; k += 4) {
    const int64_t depth = std::min<int64_t>(4, work.depth - k);
    TransposeRest(keys + k, work.key_stride, count, depth, x);
    for (int64_t j = 0; j < depth; ++j) Element::Add(a + (k + j) * Element::kElements, work.a_stride, x[j], sum);
  }
  HWY_ALIGN float scratch[kLanes];
  for (int i = 0; i < R; ++i) {
    hn::Store(sum[i], d, scratch);
    std::copy_n(scratch, count, work.c + (row + i) * work.c_stride + key);
  }
}

template <class Element>
HWY_INLINE void MultiplyFew(const KeyProduct& work) {
  LineCursor next(work.ahead);
  const int64_t lines = ceil_div(next.lines_of(std::min(work.count, kLanes)), std::max<int64_t>(1, work.depth / 4));
  for (int64_t key = 0; key < work.count; key += kLanes) {
    for (int64_t row = 0; row < work.rows; row += kFewRows) {
      WithCount<kFewRows>(std::min<int64_t>(kFewRows, work.rows - row), [&](auto rows) {
        FewByVector<rows.value, Element>(work, row, key, next, row == 0 ? lines : 0);
      });
    }
  }
}

void KeyProducts(const KeyProduct& work) noexcept {
  if (work.pairs) {
    MultiplyFew<PairOfBf16>(work);
  } else {
    MultiplyFew<OneFloat>(work);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
