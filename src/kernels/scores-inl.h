// The scores of a row group against a key tile, into a buffer that stays in L1.
#if defined(LIMELIGHT_KERNELS_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_SCORES_INL_H_
#undef LIMELIGHT_KERNELS_SCORES_INL_H_
#else
#define LIMELIGHT_KERNELS_SCORES_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "core/rounding.h"
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

// Keys of a tile that some row of a group sees, and the same rounded outwards to whole vectors.
struct Reach {
  int64_t begin, end;
  int64_t vector_begin, vector_end;
};

inline Reach ReachOf(const ScoreGroup& group) {
  Reach reach{kKeyTile, 0, 0, 0};
  for (int64_t i = 0; i < group.rows; ++i) {
    const KeyInterval live = group.live[i];
    if (live.begin >= live.end) continue;
    reach.begin = std::min<int64_t>(reach.begin, live.begin);
    reach.end = std::max<int64_t>(reach.end, live.end);
  }
  reach.vector_begin = reach.begin / kLanes * kLanes;
  reach.vector_end = round_up(reach.end, kLanes);
  return reach;
}

// c tanh(s / c) of one vector of scores, and its slope 1 - tanh^2 where that is wanted.
HWY_INLINE Vector Softcap(Vector s, float softcap, float* slope) {
  const F32 d;
  const Vector bend = TanhOfHalf(d, hn::Mul(hn::Abs(s), hn::Set(d, -2.0f / softcap)));  // of -|s|
  if (slope != nullptr) hn::Store(hn::NegMulAdd(bend, bend, hn::Set(d, 1.0f)), d, slope);
  return hn::CopySignToAbs(hn::Mul(bend, hn::Set(d, -softcap)), s);
}

// Row i of the group from `begin` to `end`, in whole vectors: what its options make of scale q.k.
HWY_INLINE void Adjust(const ScoreGroup& group, int64_t i, int64_t begin, int64_t end, float* s, float* slopes) {
  const F32 d;
  const hn::RebindToSigned<F32> di;
  const hn::Rebind<uint8_t, F32> du8;
  const Vector blocked = hn::Set(d, kMinusInfinity);
  for (int64_t j = begin; j < end; j += kLanes) {
    Vector v = hn::Load(d, s + j);
    if (group.softcap != 0) v = Softcap(v, group.softcap, slopes == nullptr ? nullptr : slopes + j);
    if (group.slopes != nullptr) {
      const auto key = hn::Add(hn::Iota(di, 0), hn::Set(di, group.distances[i] + static_cast<int32_t>(j)));
      v = hn::MulAdd(hn::Set(d, group.slopes[i]), hn::ConvertTo(d, key), v);
    }
    if (group.bias != nullptr) {
      // Minus infinity replaces the score: added to NaN or infinity it would not hide the key.
      const Vector bias = hn::LoadU(d, group.bias[i] + j);
      v = hn::IfThenElse(hn::Eq(bias, blocked), blocked, hn::Add(v, bias));
    }
    if (group.mask != nullptr) {
      const auto attend = hn::PromoteTo(di, hn::LoadU(du8, group.mask[i] + j));
      v = hn::IfThenElse(hn::RebindMask(d, hn::Eq(attend, hn::Zero(di))), blocked, v);
    }
    hn::Store(v, d, s + j);
  }
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

// Key p, a multiple of a vector, of packed panels.
HWY_INLINE const float* PanelAt(const float* panels, int64_t depth, int64_t p) {
  return panels + p / kPanel * kPanel * depth + p % kPanel;
}

// Calls f(vectors as a constant, first key) for the panels that `reach` covers, parts of one at either end.
template <class F>
HWY_INLINE void ForPanels(const Reach& reach, const F& f) {
  for (int64_t p = reach.vector_begin, next = 0; p < reach.vector_end; p = next) {
    next = std::min(reach.vector_end, (p / kPanel + 1) * kPanel);
    WithCount<kPanelVectors>((next - p) / kLanes, [&](auto vectors) { f(vectors, p); });
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
    MultiplyAdd(group.queries, group.query_stride, 1, PanelAt(group.keys, group.depth, p), kPanel, 0, group.depth, sum);
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) hn::Store(sum[i][j], d, scores + i * kScoreStride + p + j * kLanes);
    }
  };
  ForPanels(reach, panel);
}

// scores [R, kScoreStride]: filled over the vectors that `reach` covers; slopes of the softcap likewise, where wanted.
template <int R>
HWY_INLINE void Scores(const ScoreGroup& group, const Reach& reach, float* HWY_RESTRICT scores,
                       float* slopes = nullptr) {
  if (group.products != nullptr) {
    for (int64_t at = reach.vector_begin; at < R * kScoreStride; at += kScoreStride) {
      std::copy_n(group.products + at, reach.vector_end - reach.vector_begin, scores + at);
    }
  } else {
    Products<R>(group, reach, scores);
  }
  const bool adjusted = group.softcap != 0 || group.slopes != nullptr || group.bias != nullptr || group.mask != nullptr;
  for (int64_t i = 0; i < R; ++i) {
    float* s = scores + i * kScoreStride;
    if (adjusted) {
      Adjust(group, i, reach.vector_begin, reach.vector_end, s,
             slopes == nullptr ? nullptr : slopes + i * kScoreStride);
    }
    MaskOutside(group.live[i], reach.vector_begin, reach.vector_end, s);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
