// The scores of a row group against a key tile, into a buffer that stays in L1.
#if defined(LIMELIGHT_KERNELS_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_SCORES_INL_H_
#undef LIMELIGHT_KERNELS_SCORES_INL_H_
#else
#define LIMELIGHT_KERNELS_SCORES_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <limits>

#include "hwy/highway.h"
#include "kernels/exp-inl.h"
#include "kernels/kernels.h"
#include "kernels/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows are worked on two vectors at a time: terms of a sum alternate between two accumulators, counted from key 0 of
// the tile.
constexpr int64_t kPair = 2 * kLanes;

// What a row group sees of a tile: keys that some row sees, keys that all rows see, and the first in whole vector
// pairs.
struct Reach {
  int64_t begin, end;            // the union
  int64_t all_begin, all_end;    // the intersection, maybe empty (then both equal end)
  int64_t pair_begin, pair_end;  // the union, rounded outwards to pairs of vectors
};

inline Reach ReachOf(const ScoreGroup& group) {
  Reach reach{kKeyTile, 0, 0, kKeyTile, 0, 0};
  for (int64_t i = 0; i < group.rows; ++i) {
    const KeyInterval live = group.live[i];
    reach.all_begin = std::max<int64_t>(reach.all_begin, live.begin);
    reach.all_end = std::min<int64_t>(reach.all_end, live.end);
    if (live.begin >= live.end) continue;
    reach.begin = std::min<int64_t>(reach.begin, live.begin);
    reach.end = std::max<int64_t>(reach.end, live.end);
  }
  if (reach.all_begin >= reach.all_end) reach.all_begin = reach.all_end = reach.end;
  reach.pair_begin = reach.begin / kPair * kPair;
  reach.pair_end = (reach.end + kPair - 1) / kPair * kPair;
  return reach;
}

// Softcap of one vector of scores, and its slope 1 - tanh^2 where that is wanted.
HWY_INLINE Vector Softcap(Vector s, float softcap, float* slope) {
  const F32 d;
  const Vector cap = hn::Set(d, softcap);
  const Vector bend = Tanh(d, hn::Div(s, cap));
  if (slope != nullptr) hn::Store(hn::NegMulAdd(bend, bend, hn::Set(d, 1.0f)), d, slope);
  return hn::Mul(cap, bend);
}

// A bias of minus infinity replaces the score: added to NaN or infinity it would not hide the key.
HWY_INLINE Vector AddBias(Vector s, const float* bias) {
  const F32 d;
  const Vector b = hn::LoadU(d, bias);
  return hn::IfThenElse(hn::Eq(b, hn::Set(d, kMinusInfinity)), b, hn::Add(s, b));
}

// Minus infinity outside [live.begin, live.end), within [begin, end) in whole vectors.
HWY_INLINE void MaskOutside(KeyInterval live, int64_t begin, int64_t end, float* s) {
  const F32 d;
  const Vector lane = hn::Iota(d, 0.0f);
  const Vector blocked = hn::Set(d, kMinusInfinity);
  for (int64_t j = begin; j < live.begin && j < end; j += kLanes) {
    const auto out = hn::Lt(lane, hn::Set(d, static_cast<float>(live.begin - j)));
    hn::Store(hn::IfThenElse(out, blocked, hn::Load(d, s + j)), d, s + j);
  }
  for (int64_t j = std::max(begin, live.end / kLanes * kLanes); j < end; j += kLanes) {
    const auto out = hn::Ge(lane, hn::Set(d, static_cast<float>(live.end - j)));
    hn::Store(hn::IfThenElse(out, blocked, hn::Load(d, s + j)), d, s + j);
  }
}

// scores = q k^T over the panels that `reach` covers.
template <int R>
HWY_INLINE void Products(const ScoreGroup& group, const Reach& reach, float* HWY_RESTRICT scores) {
  const F32 d;
  const auto panel = [&](auto vectors, int64_t p) {
    constexpr int kVectors = decltype(vectors)::value;
    Vector sum[R][kVectors];
    Clear(sum);
    MultiplyAdd(group.queries, group.query_stride, 1, group.keys + p * group.depth, kPanel, 0, group.depth, sum);
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) hn::Store(sum[i][j], d, scores + i * kScoreStride + p + j * kLanes);
    }
  };
  for (int64_t p = reach.begin / kPanel * kPanel; p < reach.end; p += kPanel) {
    if (p + kPair >= reach.end) {
      panel(std::integral_constant<int, kPanelVectors / 2>(), p);
    } else {
      panel(std::integral_constant<int, kPanelVectors>(), p);
    }
  }
}

// scores [R, kScoreStride]: filled over the pairs that `reach` covers; slopes of the softcap likewise, where wanted.
template <int R>
HWY_INLINE void Scores(const ScoreGroup& group, const Reach& reach, float* HWY_RESTRICT scores,
                       float* slopes = nullptr) {
  const F32 d;
  if (group.products != nullptr) {
    std::memcpy(scores, group.products, R * kScoreStride * sizeof(float));
  } else {
    Products<R>(group, reach, scores);
  }
  for (int64_t i = 0; i < R; ++i) {
    float* s = scores + i * kScoreStride;
    const float* bias = group.bias == nullptr ? nullptr : group.bias[i];
    if (bias != nullptr || group.softcap != 0) {
      for (int64_t j = reach.pair_begin; j < reach.pair_end; j += kLanes) {
        Vector v = hn::Load(d, s + j);
        if (group.softcap != 0) {
          v = Softcap(v, group.softcap, slopes == nullptr ? nullptr : slopes + i * kScoreStride + j);
        }
        if (bias != nullptr) v = AddBias(v, bias + j);
        hn::Store(v, d, s + j);
      }
    }
    MaskOutside(group.live[i], reach.pair_begin, reach.pair_end, s);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
