// What backward computes: weights and score gradients of a row group against a key tile, and the products that spread
// them over dq, dk and dv.
#if defined(LIMELIGHT_KERNELS_BACKWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_BACKWARD_INL_H_
#undef LIMELIGHT_KERNELS_BACKWARD_INL_H_
#else
#define LIMELIGHT_KERNELS_BACKWARD_INL_H_
#endif

#include <algorithm>

#include "core/ahead.h"
#include "hwy/highway.h"
#include "kernels/exp-inl.h"
#include "kernels/product-inl.h"
#include "kernels/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Scores [R, kScoreStride] become weights P K, and dP becomes dS = P (dP K - delta), for NV vectors of keys from p on.
template <int R, int NV>
HWY_INLINE void GradientPanel(const GradientGroup& group, int64_t p, const Vector (&dweights)[R][NV]) {
  const F32 d;
  const Vector none = hn::Set(d, kMinusInfinity);
  const Vector masked_zero = hn::Set(d, -0.0f);
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i) {
    const Vector lse = hn::Set(d, group.lse[i]);
    const Vector delta = hn::Set(d, group.delta[i]);
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) {
      const int64_t at = p + j * kLanes;
      float* weights = group.weights + i * kScoreStride + at;
      const Vector s = hn::Load(d, weights);
      // Chosen, not multiplied: a masked pair may meet NaN in its key, its value or its row.
      const auto masked = hn::Eq(s, none);
      Vector weight = ExpWeight(d, hn::Sub(s, lse));
      Vector dweight = dweights[i][j];
      Vector kept = weight;
      if (group.score.keep != nullptr) {
        const Vector keep = hn::LoadU(d, group.score.keep[i] + at);
        kept = hn::Mul(weight, keep);
        dweight = hn::Mul(dweight, keep);
      }
      hn::Store(hn::IfThenElse(masked, masked_zero, kept), d, weights);
      // + 0: a weight of 0 must not turn a gradient into -0, the mark of a masked pair.
      const Vector gradient = hn::Add(hn::Mul(weight, hn::Sub(dweight, delta)), hn::Zero(d));
      hn::Store(hn::IfThenElse(masked, masked_zero, gradient), d, group.gradients + i * kScoreStride + at);
    }
  }
}

// Back through the softcap: the slopes stand where the gradient of the final score goes.
HWY_INLINE void PassSoftcap(const GradientGroup& group, const Reach& reach, const float* slopes) {
  const F32 d;
  for (int64_t i = 0; i < group.score.rows; ++i) {
    for (int64_t j = i * kScoreStride + reach.vector_begin; j < i * kScoreStride + reach.vector_end; j += kLanes) {
      const Vector gradient = hn::Load(d, group.gradients + j);
      if (group.bias_gradients != nullptr) hn::Store(gradient, d, group.bias_gradients + j);
      const auto masked = hn::Eq(gradient, hn::Zero(d));  // a slope may be NaN there
      // + 0: a slope of 0 must not turn a gradient into -0, the mark of a masked pair.
      const Vector passed = hn::MulAdd(gradient, hn::Load(d, slopes + j), hn::Zero(d));
      hn::Store(hn::IfThenElse(masked, gradient, passed), d, group.gradients + j);
    }
  }
}

template <int R>
HWY_INLINE void GradientRows(const GradientGroup& group, const Reach& reach) {
  HWY_ALIGN float slopes[kRows * kScoreStride];
  const bool capped = group.score.softcap != 0;
  Scores<R>(group.score, reach, group.weights, capped ? slopes : nullptr);
  const auto panel = [&](auto vectors, int64_t p) {
    constexpr int kVectors = decltype(vectors)::value;
    Vector sum[R][kVectors];
    Clear(sum);
    MultiplyAdd(group.douts, group.dout_stride, 1, PanelAt(group.values, group.value_depth, p), kPanel, 0,
                group.value_depth, sum);
    GradientPanel(group, p, sum);
  };
  ForPanels(reach, panel);
  if (capped) PassSoftcap(group, reach, slopes);
}

void Gradients(const GradientGroup& group) noexcept {
  const Reach reach = ReachOf(group.score);
  const bool any = reach.begin < reach.end;
  if (any) WithCount(group.score.rows, [&](auto rows) { GradientRows<rows.value>(group, reach); });
  const int64_t begin = any ? reach.vector_begin : group.width;
  const int64_t end = any ? reach.vector_end : group.width;
  for (int64_t i = 0; i < group.score.rows; ++i) {
    for (float* row : {group.weights + i * kScoreStride, group.gradients + i * kScoreStride}) {
      std::fill(row, row + std::min(begin, group.width), -0.0f);
      std::fill(row + std::min(end, group.width), row + group.width, -0.0f);
    }
  }
}

template <int R, int NV, class Step>
HWY_INLINE void AccumulateTile(const Accumulation& work, int64_t row, int64_t column, const Step& step) {
  const F32 d;
  const float* a = work.a + row * work.a_row_stride;
  const float* b = work.b + column;
  float* c = work.c + row * work.c_stride + column;
  Vector sum[R][NV];
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) sum[i][j] = hn::LoadU(d, c + i * work.c_stride + j * kLanes);
  }
  if (work.skip_masked) {
    MultiplyAddLive(a, work.a_row_stride, work.a_step_stride, b, work.b_stride, 0, work.steps, sum);
  } else {
    MultiplyAdd(a, work.a_row_stride, work.a_step_stride, b, work.b_stride, 0, work.steps, sum, step);
  }
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) hn::StoreU(sum[i][j], d, c + i * work.c_stride + j * kLanes);
  }
}

template <class Step>
HWY_INLINE void AccumulateAll(const Accumulation& work, const Step& step) {
  ForColumns(work.columns, [&](int64_t column, auto vectors) {
    for (int64_t row = 0; row < work.rows; row += kRows) {
      WithCount(std::min<int64_t>(kRows, work.rows - row),
                [&](auto rows) { AccumulateTile<rows.value, vectors.value>(work, row, column, step); });
    }
  });
}

void Accumulate(const Accumulation& work) noexcept {
  if (work.ahead.count == 0) return AccumulateAll(work, NoStep());
  LineCursor next(work.ahead);
  const int64_t passes = ceil_div(work.columns, kPanel) * ceil_div(work.rows, int64_t{kRows});
  const int64_t lines = ceil_div(next.lines_of(work.ahead.count), std::max<int64_t>(1, passes * work.steps));
  AccumulateAll(work, [&] { next.fetch(lines); });
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
