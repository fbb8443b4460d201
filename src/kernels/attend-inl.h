// One row group against one key tile: scores, their softmax partial, its product with the values, and the fold.
#if defined(LIMELIGHT_KERNELS_ATTEND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_ATTEND_INL_H_
#undef LIMELIGHT_KERNELS_ATTEND_INL_H_
#else
#define LIMELIGHT_KERNELS_ATTEND_INL_H_
#endif

#include <algorithm>
#include <cmath>

#include "core/rounding.h"
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
constexpr int64_t kStateLanes = round_up(kRows, kLanes);

// The partial of one tile for each row of the group; rows beyond the group hold the neutral partial.
struct Partial {
  HWY_ALIGN float max[kStateLanes];
  HWY_ALIGN float sum[kStateLanes];
  HWY_ALIGN float moment[kStateLanes];
  HWY_ALIGN float old_scale[kStateLanes];  // exp(old max - new max)
  HWY_ALIGN float scale[kStateLanes];      // exp(max - new max)
};

HWY_INLINE void Neutral(Partial& partial) {
  std::fill_n(partial.max, kStateLanes, kMinusInfinity);
  std::fill_n(partial.sum, kStateLanes, 0.0f);
  std::fill_n(partial.moment, kStateLanes, 0.0f);
}

HWY_INLINE float RowMax(const float* s, int64_t begin, int64_t end) {
  const F32 d;
  Vector even = hn::Set(d, kMinusInfinity);
  Vector odd = even;
  int64_t j = begin;
  for (; j + kPair <= end; j += kPair) {
    even = hn::Max(hn::Load(d, s + j), even);
    odd = hn::Max(hn::Load(d, s + j + kLanes), odd);
  }
  if (j < end) even = hn::Max(hn::Load(d, s + j), even);
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(even, odd)));
}

// s becomes exp(s - max), with `mark` -0 where s is minus infinity; sum and, where wanted, the moment.
HWY_INLINE void ExpRow(float* HWY_RESTRICT s, int64_t begin, int64_t end, float max, bool mark, float* sum,
                       float* moment) {
  const F32 d;
  // A row without a live key has max = -inf; any finite reference then gives exp(-inf) = 0 and not NaN.
  const Vector reference = hn::Set(d, max == kMinusInfinity ? 0.0f : max);
  const Vector none = hn::Set(d, kMinusInfinity);
  Vector sums[2] = {hn::Zero(d), hn::Zero(d)};
  Vector moments[2] = {hn::Zero(d), hn::Zero(d)};
  const auto add = [&](int64_t j, int chain) HWY_ATTR {
    const Vector score = hn::Load(d, s + j);
    const Vector t = hn::Sub(score, reference);  // of a live key it may overflow to minus infinity, too
    const Vector e = ExpWeight(d, t);
    const Vector weight = mark ? hn::IfThenElse(hn::Eq(score, none), hn::Set(d, -0.0f), e) : e;
    hn::Store(weight, d, s + j);
    sums[chain] = hn::Add(sums[chain], e);
    if (moment != nullptr) moments[chain] = hn::MulAdd(e, hn::Max(hn::Set(d, kExpFloor), t), moments[chain]);
  };
  int64_t j = begin;
  if (j % kPair != 0) {
    add(j, 1);
    j += kLanes;
  }
  for (; j + kPair <= end; j += kPair) {
    add(j, 0);
    add(j + kLanes, 1);
  }
  if (j < end) add(j, 0);
  *sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sums[0], sums[1])));
  if (moment != nullptr) *moment = hn::GetLane(hn::SumOfLanes(d, hn::Add(moments[0], moments[1])));
}

// The search takes whole pairs: the scores are -inf beside the vectors that `reach` covers.
inline void OfferRows(const AttendGroup& group, const Reach& reach, float* scores, const float* max) {
  const int64_t begin = reach.vector_begin / kPair * kPair;
  const int64_t end = round_up(reach.vector_end, kPair);
  const TopList spare{group.spare_score, group.spare_index, group.top_k};
  for (int64_t i = 0; i < group.score.rows; ++i) {
    const TopList list{group.top_score + i * group.top_stride, group.top_index + i * group.top_stride, group.top_k};
    if (max[i] > list.Least()) {
      float* s = scores + i * kScoreStride;
      std::fill(s + begin, s + reach.vector_begin, kMinusInfinity);
      std::fill(s + reach.vector_end, s + end, kMinusInfinity);
      OfferRow(s, begin, end, group.first_key, spare, list);
    }
  }
}

HWY_INLINE void MultiplyRow(const float* factors, int64_t begin, int64_t end, float* s) {
  const F32 d;
  for (int64_t j = begin; j < end; j += kLanes)
    hn::Store(hn::Mul(hn::Load(d, s + j), hn::LoadU(d, factors + j)), d, s + j);
}

// All maxima first: six short chains of comparisons overlap, where one before each exp loop would stall it.
template <int R>
HWY_INLINE void Softmax(const AttendGroup& group, const Reach& reach, float* HWY_RESTRICT scores, Partial& partial) {
#pragma GCC unroll 8
  for (int64_t i = 0; i < R; ++i) {
    partial.max[i] = RowMax(scores + i * kScoreStride, reach.vector_begin, reach.vector_end);
  }
  if (group.scores != nullptr) {
    for (int64_t i = 0; i < R; ++i) {
      const float* s = scores + i * kScoreStride;
      std::copy(s + reach.begin, s + reach.end, group.scores + i * kScoreStride + reach.begin);
    }
  }
  if (group.top_score != nullptr) OfferRows(group, reach, scores, partial.max);
  for (int64_t i = 0; i < R; ++i) {
    float* s = scores + i * kScoreStride;
    float* moment = group.moment == nullptr ? nullptr : &partial.moment[i];
    ExpRow(s, reach.vector_begin, reach.vector_end, partial.max[i], group.weights != nullptr, &partial.sum[i], moment);
    if (group.score.keep != nullptr) MultiplyRow(group.score.keep[i], reach.vector_begin, reach.vector_end, s);
  }
}

// max, sum and moment of the rows so far, and the two factors that bring old and new to the same maximum. Lanes beyond
// the group add the neutral partial to their neighbours' state, which leaves it bit for bit.
HWY_INLINE void FoldState(int64_t rows, float* row_max, float* row_sum, float* row_moment, Partial& partial) {
  const F32 d;
  const Vector none = hn::Set(d, kMinusInfinity);
  for (int64_t i = 0; i < rows; i += kLanes) {
    const Vector old_max = hn::LoadU(d, row_max + i);
    const Vector tile_max = hn::Load(d, partial.max + i);
    const Vector max = hn::Max(old_max, tile_max);
    const Vector reference = hn::IfThenZeroElse(hn::Eq(max, none), max);
    const Vector old_scale = ExpWeight(d, hn::Sub(old_max, reference));
    const Vector scale = ExpWeight(d, hn::Sub(tile_max, reference));
    const Vector old_sum = hn::LoadU(d, row_sum + i);
    const Vector tile_sum = hn::Load(d, partial.sum + i);
    if (row_moment != nullptr) {
      // exp(s - max)(s - max) = exp(s - m)(s - m + m - max) exp(m - max); the shift is bounded where its factor is 0.
      const Vector floor = hn::Set(d, kExpFloor);
      const Vector old_shift = hn::Max(floor, hn::Sub(old_max, reference));
      const Vector shift = hn::Max(floor, hn::Sub(tile_max, reference));
      const Vector old_moment = hn::MulAdd(old_sum, old_shift, hn::LoadU(d, row_moment + i));
      const Vector tile_moment = hn::MulAdd(tile_sum, shift, hn::Load(d, partial.moment + i));
      hn::StoreU(hn::MulAdd(old_moment, old_scale, hn::Mul(tile_moment, scale)), d, row_moment + i);
    }
    hn::StoreU(max, d, row_max + i);
    hn::StoreU(hn::MulAdd(old_sum, old_scale, hn::Mul(tile_sum, scale)), d, row_sum + i);
    hn::Store(old_scale, d, partial.old_scale + i);
    hn::Store(scale, d, partial.scale + i);
  }
}

// out = out old_scale + term scale, of row i.
HWY_INLINE void AddScaled(Vector term, const Partial& partial, int64_t i, float* out) {
  const F32 d;
  const Vector old = hn::LoadU(d, out);
  hn::StoreU(hn::MulAdd(old, hn::Set(d, partial.old_scale[i]), hn::Mul(term, hn::Set(d, partial.scale[i]))), d, out);
}

// Whether there is no NaN and no infinity among them, as far as their sum tells: it may overflow, which costs time
// only.
template <int R, int NV>
HWY_INLINE bool AllFinite(const Vector (&c)[R][NV]) {
  const F32 d;
  Vector sum[NV];
#pragma GCC unroll 4
  for (int j = 0; j < NV; ++j) {
    sum[j] = c[0][j];
#pragma GCC unroll 8
    for (int i = 1; i < R; ++i) sum[j] = hn::Add(sum[j], c[i][j]);
    if (j > 0) sum[0] = hn::Add(sum[0], sum[j]);
  }
  const Vector none = hn::Sub(sum[0], sum[0]);
  return hn::AllTrue(d, hn::Eq(none, none));
}

// weights values, for NV vectors of columns. A masked key has the weight 0; `marked`: -0, and is left out.
template <int R, int NV>
HWY_INLINE void BlendColumns(const AttendGroup& group, const Reach& reach, const float* HWY_RESTRICT weights,
                             int64_t column, bool marked, Vector (&sum)[R][NV]) {
  const float* values = group.values + column;
  const int64_t stride = group.value_stride;
  Clear(sum);
  if (marked) {
    MultiplyAddLive(weights, kScoreStride, 1, values, stride, reach.begin, reach.end, sum);
  } else {
    MultiplyAdd(weights, kScoreStride, 1, values, stride, reach.begin, reach.end, sum);
  }
}

// Masked keys get the weight -0, told apart from a live weight that underflowed by the score.
template <int R>
void MarkMasked(const ScoreGroup& group, const Reach& reach, float* weights) {
  HWY_ALIGN float scores[kRows * kScoreStride];
  Scores<R>(group, reach, scores);
  for (int64_t i = 0; i < R; ++i) {
    for (int64_t j = i * kScoreStride + reach.begin; j < i * kScoreStride + reach.end; ++j) {
      if (scores[j] == kMinusInfinity) weights[j] = -0.0f;
    }
  }
}

// out = out old_scale + (weights values) scale. A product that is not finite may owe it to a masked value, for 0 x NaN
// is NaN: it is done again without them.
template <int R>
HWY_INLINE void Blend(const AttendGroup& group, const Reach& reach, float* HWY_RESTRICT weights,
                      const Partial& partial) {
  bool marked = false;
  ForColumns(group.value_columns, [&](int64_t column, auto vectors) {
    constexpr int kVectors = decltype(vectors)::value;
    Vector sum[R][kVectors];
    BlendColumns(group, reach, weights, column, false, sum);
    if (HWY_UNLIKELY(!AllFinite(sum))) {
      if (!marked) MarkMasked<R>(group.score, reach, weights);
      marked = true;
      BlendColumns(group, reach, weights, column, marked, sum);
    }
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) {
        AddScaled(sum[i][j], partial, i, group.out + i * group.value_columns + column + j * kLanes);
      }
    }
  });
}

template <int R>
HWY_INLINE void KeepWeights(const Reach& reach, const float* scores, float* weights) {
  for (int64_t i = 0; i < R; ++i) {
    const float* from = scores + i * kScoreStride;
    float* to = weights + i * kScoreStride;
    std::fill(to, to + reach.begin, -0.0f);
    std::copy(from + reach.begin, from + reach.end, to + reach.begin);
    std::fill(to + reach.end, to + kKeyTile, -0.0f);
  }
}

void Attend(const AttendGroup& group) noexcept {
  const Reach reach = ReachOf(group.score);
  if (reach.begin >= reach.end) {
    if (group.weights != nullptr) std::fill_n(group.weights, group.score.rows * kScoreStride, -0.0f);
    return;
  }
  HWY_ALIGN float scores[kRows * kScoreStride];
  Partial partial;
  Neutral(partial);
  WithCount(group.score.rows, [&](auto rows) {
    constexpr int kGroupRows = decltype(rows)::value;
    Scores<kGroupRows>(group.score, reach, scores);
    Softmax<kGroupRows>(group, reach, scores, partial);
    if (group.weights != nullptr) KeepWeights<kGroupRows>(reach, scores, group.weights);
    FoldState(group.score.rows, group.max, group.sum, group.moment, partial);
    if (group.values != nullptr) Blend<kGroupRows>(group, reach, scores, partial);
  });
}

// The same additions as Attend's, from a partial that was kept.
void Fold(const FoldGroup& group) noexcept {
  const F32 d;
  Partial partial;
  Neutral(partial);
  std::copy_n(group.tile_max, group.rows, partial.max);
  std::copy_n(group.tile_sum, group.rows, partial.sum);
  if (group.tile_moment != nullptr) std::copy_n(group.tile_moment, group.rows, partial.moment);
  FoldState(group.rows, group.max, group.sum, group.moment, partial);
  for (int64_t i = 0; i < group.rows; ++i) {
    for (int64_t n = i * group.columns; n < (i + 1) * group.columns; n += kLanes) {
      AddScaled(hn::LoadU(d, group.tile_out + n), partial, i, group.out + n);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
