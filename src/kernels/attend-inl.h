// One row group against one key tile: scores, their softmax partial, its product with the values, and the fold.
#if defined(LIMELIGHT_KERNELS_ATTEND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_ATTEND_INL_H_
#undef LIMELIGHT_KERNELS_ATTEND_INL_H_
#else
#define LIMELIGHT_KERNELS_ATTEND_INL_H_
#endif

#include <algorithm>
#include <cmath>

#include "hwy/highway.h"
#include "kernels/exp-inl.h"
#include "kernels/product-inl.h"
#include "kernels/scores-inl.h"
#include "kernels/top-inl.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Room for the state of a row group in whole vectors.
constexpr int64_t kStateLanes = kRows <= kLanes ? kLanes : (kRows + kLanes - 1) / kLanes * kLanes;

// The partial of one tile for each row of the group; rows beyond the group hold the neutral partial.
struct Partial {
  HWY_ALIGN float max[kStateLanes];
  HWY_ALIGN float sum[kStateLanes];
  HWY_ALIGN float moment[kStateLanes];
  HWY_ALIGN float old_scale[kStateLanes];  // exp(old max - new max)
  HWY_ALIGN float scale[kStateLanes];      // exp(max - new max)
};

HWY_INLINE float RowMax(const float* s, int64_t begin, int64_t end) {
  const F32 d;
  Vector even = hn::Set(d, kMinusInfinity);
  Vector odd = even;
  for (int64_t j = begin; j < end; j += kPair) {
    even = hn::Max(hn::Load(d, s + j), even);
    odd = hn::Max(hn::Load(d, s + j + kLanes), odd);
  }
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(even, odd)));
}

// s becomes exp(s - max); sum and, where wanted, the moment.
HWY_INLINE void ExpRow(float* HWY_RESTRICT s, int64_t begin, int64_t end, float max, float* sum, float* moment) {
  const F32 d;
  // A row without a live key has max = -inf; any finite reference then gives exp(-inf) = 0 and not NaN.
  const Vector reference = hn::Set(d, max == kMinusInfinity ? 0.0f : max);
  Vector sums[2] = {hn::Zero(d), hn::Zero(d)};
  Vector moments[2] = {hn::Zero(d), hn::Zero(d)};
  for (int64_t j = begin; j < end; j += kPair) {
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      const Vector t = hn::Sub(hn::Load(d, s + j + v * kLanes), reference);
      const Vector e = Exp(d, t);
      hn::Store(e, d, s + j + v * kLanes);
      sums[v] = hn::Add(sums[v], e);
      if (moment != nullptr) moments[v] = hn::MulAdd(e, hn::Max(hn::Set(d, kExpFloor), t), moments[v]);
    }
  }
  *sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sums[0], sums[1])));
  if (moment != nullptr) *moment = hn::GetLane(hn::SumOfLanes(d, hn::Add(moments[0], moments[1])));
}

inline void OfferRows(const AttendGroup& group, const Reach& reach, const float* scores, const float* max) {
  const TopList spare{group.spare_score, group.spare_index, group.top_k};
  for (int64_t i = 0; i < group.score.rows; ++i) {
    const TopList list{group.top_score + i * group.top_stride, group.top_index + i * group.top_stride, group.top_k};
    if (max[i] > list.Least()) {
      OfferRow(scores + i * kKeyTile, reach.pair_begin, reach.pair_end, group.first_key, spare, list);
    }
  }
}

// Masked keys of a row get the weight -0: zero in every sum, and told apart from a live weight that underflowed.
HWY_INLINE void MarkMasked(KeyInterval live, const Reach& reach, float* s) {
  for (int64_t j = reach.begin; j < std::min<int64_t>(live.begin, reach.end); ++j) s[j] = -0.0f;
  for (int64_t j = std::max<int64_t>(live.end, reach.begin); j < reach.end; ++j) s[j] = -0.0f;
}

// As above for masks of any pattern, known by their score before exp.
inline void SoftmaxRowSkipping(float* s, const Reach& reach, float max, float* sum, float* moment) {
  bool masked[kKeyTile];
  for (int64_t j = reach.begin; j < reach.end; ++j) masked[j] = s[j] == kMinusInfinity;
  ExpRow(s, reach.pair_begin, reach.pair_end, max, sum, moment);
  for (int64_t j = reach.begin; j < reach.end; ++j) {
    if (masked[j]) s[j] = -0.0f;
  }
}

// All maxima first: six short chains of comparisons overlap, where one before each exp loop would stall it.
template <int R>
HWY_INLINE void Softmax(const AttendGroup& group, const Reach& reach, float* HWY_RESTRICT scores, Partial& partial) {
#pragma GCC unroll 8
  for (int64_t i = 0; i < R; ++i) {
    partial.max[i] = RowMax(scores + i * kKeyTile, reach.pair_begin, reach.pair_end);
  }
  if (group.scores != nullptr) {
    for (int64_t i = 0; i < R; ++i) {
      const float* s = scores + i * kKeyTile;
      std::copy(s + reach.begin, s + reach.end, group.scores + i * kKeyTile + reach.begin);
    }
  }
  if (group.top_score != nullptr) OfferRows(group, reach, scores, partial.max);
  for (int64_t i = 0; i < R; ++i) {
    float* s = scores + i * kKeyTile;
    float* moment = group.moment == nullptr ? nullptr : &partial.moment[i];
    if (group.skip_masked) {
      SoftmaxRowSkipping(s, reach, partial.max[i], &partial.sum[i], moment);
    } else {
      ExpRow(s, reach.pair_begin, reach.pair_end, partial.max[i], &partial.sum[i], moment);
      MarkMasked(group.score.live[i], reach, s);
    }
  }
}

// max, sum and moment of the rows so far, and the two factors that bring old and new to the same maximum. Lanes beyond
// the group add the neutral partial to their neighbours' state, which leaves it bit for bit.
HWY_INLINE void FoldState(const AttendGroup& group, Partial& partial) {
  const F32 d;
  const Vector none = hn::Set(d, kMinusInfinity);
  for (int64_t i = 0; i < group.score.rows; i += kLanes) {
    const Vector old_max = hn::LoadU(d, group.max + i);
    const Vector tile_max = hn::Load(d, partial.max + i);
    const Vector max = hn::Max(old_max, tile_max);
    const Vector reference = hn::IfThenZeroElse(hn::Eq(max, none), max);
    const Vector old_scale = Exp(d, hn::Sub(old_max, reference));
    const Vector scale = Exp(d, hn::Sub(tile_max, reference));
    const Vector old_sum = hn::LoadU(d, group.sum + i);
    const Vector tile_sum = hn::Load(d, partial.sum + i);
    if (group.moment != nullptr) {
      // exp(s - max)(s - max) = exp(s - m)(s - m + m - max) exp(m - max); the shift is bounded where its factor is 0.
      const Vector floor = hn::Set(d, kExpFloor);
      const Vector old_shift = hn::Max(floor, hn::Sub(old_max, reference));
      const Vector shift = hn::Max(floor, hn::Sub(tile_max, reference));
      const Vector old_moment = hn::MulAdd(old_sum, old_shift, hn::LoadU(d, group.moment + i));
      const Vector tile_moment = hn::MulAdd(tile_sum, shift, hn::Load(d, partial.moment + i));
      hn::StoreU(hn::MulAdd(old_moment, old_scale, hn::Mul(tile_moment, scale)), d, group.moment + i);
    }
    hn::StoreU(max, d, group.max + i);
    hn::StoreU(hn::MulAdd(old_sum, old_scale, hn::Mul(tile_sum, scale)), d, group.sum + i);
    hn::Store(old_scale, d, partial.old_scale + i);
    hn::Store(scale, d, partial.scale + i);
  }
}

// MultiplyAdd over keys of which some rows see some: a masked key (weight -0) is not multiplied, for 0 x NaN is NaN.
template <int R, int NV>
HWY_INLINE void MultiplyAddLive(const float* HWY_RESTRICT weights, const float* HWY_RESTRICT values,
                                int64_t value_stride, int64_t begin, int64_t end, Vector (&c)[R][NV]) {
  const F32 d;
  for (int64_t k = begin; k < end; ++k) {
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) {
      const float weight = weights[i * kKeyTile + k];
      if (std::signbit(weight)) continue;
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) {
        c[i][j] = hn::MulAdd(hn::Set(d, weight), hn::LoadU(d, values + k * value_stride + j * kLanes), c[i][j]);
      }
    }
  }
}

// out = out old_scale + (weights values) scale, for NV vectors of columns.
template <int R, int NV>
HWY_INLINE void BlendColumns(const AttendGroup& group, const Reach& reach, const float* HWY_RESTRICT weights,
                             const Partial& partial, int64_t column) {
  const F32 d;
  const float* values = group.values + column;
  const int64_t stride = group.value_stride;
  Vector sum[R][NV];
  Clear(sum);
  if (group.skip_masked) {
    MultiplyAddLive(weights, values, stride, reach.begin, reach.end, sum);
  } else {
    MultiplyAddLive(weights, values, stride, reach.begin, reach.all_begin, sum);
    MultiplyAdd(weights, kKeyTile, values, stride, reach.all_begin, reach.all_end, sum);
    MultiplyAddLive(weights, values, stride, reach.all_end, reach.end, sum);
  }
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i) {
    float* out = group.out + i * group.value_columns + column;
    const Vector old_scale = hn::Set(d, partial.old_scale[i]);
    const Vector scale = hn::Set(d, partial.scale[i]);
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) {
      const Vector old = hn::Load(d, out + j * kLanes);
      hn::Store(hn::MulAdd(old, old_scale, hn::Mul(sum[i][j], scale)), d, out + j * kLanes);
    }
  }
}

template <int R>
HWY_INLINE void Blend(const AttendGroup& group, const Reach& reach, const float* weights, const Partial& partial) {
  // Columns in passes of nearly equal width: five vectors go as three and two, not four and one.
  int64_t vectors = group.value_columns / kLanes;
  int64_t column = 0;
  while (vectors > 0) {
    const int64_t passes = (vectors + kPanelVectors - 1) / kPanelVectors;
    const int64_t width = (vectors + passes - 1) / passes;
    if (width == 4) {
      BlendColumns<R, 4>(group, reach, weights, partial, column);
    } else if (width == 3) {
      BlendColumns<R, 3>(group, reach, weights, partial, column);
    } else if (width == 2) {
      BlendColumns<R, 2>(group, reach, weights, partial, column);
    } else {
      BlendColumns<R, 1>(group, reach, weights, partial, column);
    }
    vectors -= width;
    column += width * kLanes;
  }
}

void Attend(const AttendGroup& group) noexcept {
  const Reach reach = ReachOf(group.score);
  if (reach.begin >= reach.end) return;
  HWY_ALIGN float scores[kRows * kKeyTile];
  Partial partial;
  std::fill_n(partial.max, kStateLanes, kMinusInfinity);
  std::fill_n(partial.sum, kStateLanes, 0.0f);
  std::fill_n(partial.moment, kStateLanes, 0.0f);
  WithRows(group.score.rows, [&](auto rows) {
    constexpr int kGroupRows = decltype(rows)::value;
    Scores<kGroupRows>(group.score, reach, scores);
    Softmax<kGroupRows>(group, reach, scores, partial);
    FoldState(group, partial);
    if (group.values != nullptr) Blend<kGroupRows>(group, reach, scores, partial);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
