// The weights of a row group against a key tile, from each row's final maximum and sum, added up by key.
#if defined(LIMELIGHT_KERNELS_WEIGH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_WEIGH_INL_H_
#undef LIMELIGHT_KERNELS_WEIGH_INL_H_
#else
#define LIMELIGHT_KERNELS_WEIGH_INL_H_
#endif

#include <algorithm>
#include <cmath>

#include "hwy/highway.h"
#include "kernels/exp-inl.h"
#include "kernels/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// exp(s - max) inverse_sum; a masked key has 0 even in a row that is NaN.
HWY_INLINE Vector Weight(Vector s, Vector max, Vector inverse_sum, bool guard) {
  const F32 d;
  const Vector weight = hn::Mul(ExpWeight(d, hn::Sub(s, max)), inverse_sum);
  if (!guard) return weight;
  return hn::IfThenZeroElse(hn::Eq(s, hn::Set(d, kMinusInfinity)), weight);
}

// Only a NaN in a row's total needs that last step: exp(-inf) is 0 already, and 0 x NaN is not.
HWY_INLINE bool AnyNan(const float* inverse_sum, int64_t rows) {
  return std::any_of(inverse_sum, inverse_sum + rows, [](float x) { return std::isnan(x); });
}

// Keys outer and rows inner, so that a key's sum stays in a register.
template <int R>
HWY_INLINE void WeighKeys(const WeighGroup& group, const Reach& reach, const float* HWY_RESTRICT scores) {
  const F32 d;
  const bool guard = AnyNan(group.inverse_sum, R);
  for (int64_t j = reach.vector_begin; j < reach.vector_end; j += kLanes) {
    Vector sum = hn::Zero(d);
    Vector pool_sum = hn::Zero(d);
    Vector pool_max = hn::Zero(d);
    if (group.received != nullptr) sum = hn::Load(d, group.received + j);
    if (group.pool_sum != nullptr) {
      pool_sum = hn::Load(d, group.pool_sum + j);
      pool_max = hn::Load(d, group.pool_max + j);
    }
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) {
      const Vector s = hn::Load(d, scores + i * kScoreStride + j);
      const Vector weight = Weight(s, hn::Set(d, group.max[i]), hn::Set(d, group.inverse_sum[i]), guard);
      sum = hn::Add(sum, weight);
      pool_sum = hn::Add(pool_sum, weight);
      pool_max = hn::Max(pool_max, weight);
    }
    if (group.received != nullptr) hn::Store(sum, d, group.received + j);
    if (group.pool_sum != nullptr) {
      hn::Store(pool_sum, d, group.pool_sum + j);
      hn::Store(pool_max, d, group.pool_max + j);
    }
  }
}

void WeighScores(const float* scores, float max, float inverse_sum, int64_t count, float* weights) noexcept {
  const F32 d;
  HWY_ALIGN float lanes[kLanes];
  for (int64_t n = 0; n < count; n += kLanes) {
    const int64_t some = std::min(kLanes, count - n);
    std::fill_n(std::copy_n(scores + n, some, lanes), kLanes - some, 0.0f);
    hn::Store(Weight(hn::Load(d, lanes), hn::Set(d, max), hn::Set(d, inverse_sum), std::isnan(inverse_sum)), d, lanes);
    std::copy_n(lanes, some, weights + n);
  }
}

void Weigh(const WeighGroup& group) noexcept {
  const Reach reach = ReachOf(group.score);
  if (reach.begin >= reach.end) return;
  HWY_ALIGN float scores[kRows * kScoreStride];
  WithCount(group.score.rows, [&](auto rows) {
    constexpr int kGroupRows = decltype(rows)::value;
    Scores<kGroupRows>(group.score, reach, scores);
    WeighKeys<kGroupRows>(group, reach, scores);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
