// The register-tiled product that serves q k^T, p v and every linear layer: a few rows times four vectors of columns.
#if defined(LIMELIGHT_KERNELS_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_PRODUCT_INL_H_
#undef LIMELIGHT_KERNELS_PRODUCT_INL_H_
#else
#define LIMELIGHT_KERNELS_PRODUCT_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/ahead.h"
#include "core/rounding.h"
#include "hwy/highway.h"
#include "kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using Vector = hn::Vec<F32>;
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(F32()));
constexpr int kPanelVectors = 4;
constexpr int64_t kPanel = kPanelVectors * kLanes;
// Rows times four accumulators, four columns and one broadcast must fit the registers: of 32, 6 rows take 29; of 16, 3
// rows take 16 with the broadcast folded into the multiply-add. Measured: 6 rows on 16 registers spill and lose 28 %.
constexpr int kRows = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64 ? 6 : 3;

// Calls f with a count of at most `kMost` as a constant.
template <int kMost = kRows, class F>
HWY_INLINE void WithCount(int64_t count, const F& f) {
  if (count == kMost) {
    f(std::integral_constant<int, kMost>());
  } else if constexpr (kMost > 1) {
    WithCount<kMost - 1>(count, f);
  }
}

template <int R, int NV>
HWY_INLINE void Clear(Vector (&c)[R][NV]) {
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) c[i][j] = hn::Zero(F32());
  }
}

// Nothing else to be done between two steps of a product.
struct NoStep {
  HWY_INLINE void operator()() const {}
};

// c[i][j] += sum over k in [begin, end) of a[i * row_stride + k * step_stride] b[k, vector j]: one chain an element, k
// ascending. `step` is called once a k.
template <int R, int NV, class Step = NoStep>
HWY_INLINE void MultiplyAdd(const float* HWY_RESTRICT a, int64_t row_stride, int64_t step_stride,
                            const float* HWY_RESTRICT b, int64_t b_stride, int64_t begin, int64_t end,
                            Vector (&c)[R][NV], const Step& step = {}) {
  const F32 d;
  for (int64_t k = begin; k < end; ++k) {
    step();
    const float* row = b + k * b_stride;
    Vector column[NV];
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) column[j] = hn::LoadU(d, row + j * kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) {
      const Vector factor = hn::Set(d, a[i * row_stride + k * step_stride]);
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) c[i][j] = hn::MulAdd(factor, column[j], c[i][j]);
    }
  }
}

// The same without the terms whose factor is -0, the mark of a masked pair: 0 x NaN would be NaN.
template <int R, int NV>
HWY_INLINE void MultiplyAddLive(const float* HWY_RESTRICT a, int64_t row_stride, int64_t step_stride,
                                const float* HWY_RESTRICT b, int64_t b_stride, int64_t begin, int64_t end,
                                Vector (&c)[R][NV]) {
  const F32 d;
  for (int64_t k = begin; k < end; ++k) {
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) {
      const float factor = a[i * row_stride + k * step_stride];
      if (factor == 0 && std::signbit(factor)) continue;
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) {
        c[i][j] = hn::MulAdd(hn::Set(d, factor), hn::LoadU(d, b + k * b_stride + j * kLanes), c[i][j]);
      }
    }
  }
}

// Calls f(first column, number of vectors as a constant) for passes of nearly equal width over whole vectors: five go
// as three and two, not four and one.
template <class F>
HWY_INLINE void ForColumns(int64_t columns, const F& f) {
  int64_t vectors = columns / kLanes;
  int64_t column = 0;
  while (vectors > 0) {
    const int64_t passes = ceil_div(vectors, kPanelVectors);
    const int64_t width = ceil_div(vectors, passes);
    WithCount<kPanelVectors>(width, [&](auto constant) { f(column, constant); });
    vectors -= width;
    column += width * kLanes;
  }
}

// Columns n in [begin, end) of a panel, one element at a time.
HWY_INLINE void PackSlowly(const float* src, int64_t column_stride, int64_t depth_stride, int64_t begin, int64_t end,
                           int64_t depth_begin, int64_t depth, float* panel) {
  for (int64_t n = begin; n < end; ++n) {
    for (int64_t k = depth_begin; k < depth; ++k) panel[k * kPanel + n] = src[n * column_stride + k * depth_stride];
  }
}

#if HWY_TARGET == HWY_SCALAR  // one lane has no blocks to interleave, and its four depths are four copies
HWY_INLINE void TransposeFour(const float* src, int64_t, Vector (&x)[4]) {
  for (int64_t k = 0; k < 4; ++k) x[k] = hn::Set(F32(), src[k]);
}
#else
// The four floats at src + (block b) * 4 * stride for every 128-bit block b of a vector.
template <class D>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const float* src, int64_t stride) {
  if constexpr (hn::MaxLanes(D()) <= 4) {
    return hn::LoadU(d, src);
  } else {
    const hn::Half<D> half;
    const int64_t blocks = static_cast<int64_t>(hn::MaxLanes(half)) / 4;
    return hn::Combine(d, LoadBlocks(half, src + blocks * 4 * stride, stride), LoadBlocks(half, src, stride));
  }
}

// One vector of columns (rows of src, contiguous along the depth) times four of depth, transposed: with each 128-bit
// block loaded from its own four columns, a 4 x 4 transpose inside the blocks is the whole transpose.
HWY_INLINE void TransposeFour(const float* src, int64_t column_stride, Vector (&x)[4]) {
  const F32 d;
  const hn::Repartition<double, F32> d64;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) x[i] = LoadBlocks(d, src + i * column_stride, column_stride);
  const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d, x[0], x[1]));
  const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d, x[2], x[3]));
  const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d, x[0], x[1]));
  const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d, x[2], x[3]));
  x[0] = hn::BitCast(d, hn::InterleaveLower(d64, low01, low23));
  x[1] = hn::BitCast(d, hn::InterleaveUpper(d64, low01, low23));
  x[2] = hn::BitCast(d, hn::InterleaveLower(d64, high01, high23));
  x[3] = hn::BitCast(d, hn::InterleaveUpper(d64, high01, high23));
}
#endif

HWY_INLINE void PackPanel(const float* src, int64_t column_stride, int64_t depth_stride, int64_t columns, int64_t depth,
                          float* panel) {
  if (columns < kPanel) std::memset(panel, 0, static_cast<size_t>(depth * kPanel) * sizeof(float));
  const F32 d;
  int64_t n = 0;
  for (; n + kLanes <= columns && (depth_stride == 1 || column_stride == 1); n += kLanes) {
    const float* from = src + n * column_stride;
    int64_t k = 0;
    if (column_stride == 1) {
      for (; k < depth; ++k) hn::StoreU(hn::LoadU(d, from + k * depth_stride), d, panel + k * kPanel + n);
    } else {
      for (; k + 4 <= depth; k += 4) {
        Vector x[4];
        TransposeFour(from + k, column_stride, x);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) hn::StoreU(x[j], d, panel + (k + j) * kPanel + n);
      }
    }
    PackSlowly(src, column_stride, depth_stride, n, n + kLanes, k, depth, panel);
  }
  PackSlowly(src, column_stride, depth_stride, n, columns, 0, depth, panel);
}

void PackPanels(const float* src, int64_t column_stride, int64_t depth_stride, int64_t columns, int64_t depth,
                float* dst) noexcept {
  for (int64_t n = 0; n < columns; n += kPanel) {
    PackPanel(src + n * column_stride, column_stride, depth_stride, std::min(kPanel, columns - n), depth,
              dst + n * depth);
  }
}

// Columns [0, count) of a row of accumulators; the last vector through a scratch so that nothing beyond is written.
template <int NV>
HWY_INLINE void StoreColumns(const Vector (&c)[NV], const float* bias, int64_t count, float* to) {
  const F32 d;
  HWY_ALIGN float scratch[kPanel];
#pragma GCC unroll 4
  for (int j = 0; j < NV; ++j) hn::Store(c[j], d, scratch + j * kLanes);
  for (int64_t n = 0; n < count; ++n) to[n] = bias == nullptr ? scratch[n] : scratch[n] + bias[n];
}

// A tile of results, each with its column's bias added last; nothing beyond `columns` is written.
template <int R>
HWY_INLINE void StoreTile(const Vector (&sum)[R][kPanelVectors], int64_t columns, const float* bias, float* c,
                          int64_t c_stride) {
  const F32 d;
  if (columns < kPanel) {
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) StoreColumns(sum[i], bias, columns, c + i * c_stride);
    return;
  }
#pragma GCC unroll 4
  for (int j = 0; j < kPanelVectors; ++j) {
    const Vector offset = bias == nullptr ? hn::Zero(d) : hn::LoadU(d, bias + j * kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) {
      const Vector y = bias == nullptr ? sum[i][j] : hn::Add(sum[i][j], offset);
      hn::StoreU(y, d, c + i * c_stride + j * kLanes);
    }
  }
}

// Asks for the lines of a tile that will be written: stores that miss the cache would hold up the next tile. MiniLM on
// one thread: T 128 22.3 -> 21.9 ms, T 512 97.5 -> 95.5 ms.
template <int R>
HWY_INLINE void FetchTile(const float* c, int64_t stride, int64_t columns) {
  constexpr int64_t kStep = kCacheLine / static_cast<int64_t>(sizeof(float));
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i) {
    for (int64_t n = 0; n < columns; n += kStep) __builtin_prefetch(c + i * stride + n);
  }
}

template <int R, class Step>
HWY_INLINE void ProductTile(const float* a, int64_t a_stride, const float* panel, int64_t depth, int64_t columns,
                            const float* bias, float* c, int64_t c_stride, const Step& step) {
  FetchTile<R>(c, c_stride, columns);
  Vector sum[R][kPanelVectors];
  Clear(sum);
  MultiplyAdd(a, a_stride, 1, panel, kPanel, 0, depth, sum, step);
  StoreTile(sum, columns, bias, c, c_stride);
}

void Product(const float* a, int64_t a_stride, int64_t rows, const float* panels, int64_t depth, int64_t columns,
             const float* bias, float* c, int64_t c_stride) noexcept {
  const int64_t panel_bytes = depth * kPanel * static_cast<int64_t>(sizeof(float));
  const int64_t groups = ceil_div(rows, int64_t{kRows});  // of nearly equal size: one of 2 takes as long as one of 4
  for (int64_t n = 0; n < columns; n += kPanel) {
    // The next panel is on its way while this one is multiplied: a line a step is what the memory gives.
    LineCursor next({panels + (n + kPanel) * depth, 0, panel_bytes, n + kPanel < columns ? 1 : 0});
    const auto step = [&]() HWY_ATTR { next.fetch(1); };
    for (int64_t group = 0, i = 0, end = 0; group < groups; ++group, i = end) {
      end = part_begin(rows, groups, group + 1);
      WithCount(end - i, [&](auto r) {
        ProductTile<r.value>(a + i * a_stride, a_stride, panels + n * depth, depth, std::min(kPanel, columns - n),
                             bias == nullptr ? nullptr : bias + n, c + i * c_stride + n, c_stride, step);
      });
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
