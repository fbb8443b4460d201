// The strongest keys of a row, kept while its scores pass by: most tiles cost one comparison.
#if defined(LIMELIGHT_KERNELS_TOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_TOP_INL_H_
#undef LIMELIGHT_KERNELS_TOP_INL_H_
#else
#define LIMELIGHT_KERNELS_TOP_INL_H_
#endif

#include <algorithm>
#include <functional>

#include "hwy/highway.h"
#include "kernels/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One row's list: scores descending, equal scores by ascending key.
struct TopList {
  float* score;
  int64_t* index;
  int64_t size;

  float least() const { return score[size - 1]; }

  // Keys come in ascending order, so one that only equals a kept score goes behind it.
  void Offer(float s, int64_t key) {
    if (!(s > least())) return;
    int64_t at = size - 1;
    for (; at > 0 && s > score[at - 1]; --at) {
      score[at] = score[at - 1];
      index[at] = index[at - 1];
    }
    score[at] = s;
    index[at] = key;
  }
};

// A bound that at least `size` scores of the row reach: the size-th largest of the maxima of disjoint groups of keys.
// Without it the first tile offers every key to an empty list; with it, about size * 1.4 of 512.
inline float FirstBound(const float* s, int64_t begin, int64_t end, int64_t size) {
  const F32 d;
  constexpr int64_t kGroups = 2 * kPanel;
  if (size > kGroups / 2 || end - begin < 2 * kGroups) return kMinusInfinity;
  HWY_ALIGN float group_max[kGroups];
  std::fill_n(group_max, kGroups, kMinusInfinity);
  for (int64_t j = begin; j < end; j += kLanes) {
    float* to = group_max + j % kGroups;
    hn::Store(hn::Max(hn::Load(d, to), hn::Load(d, s + j)), d, to);
  }
  int64_t groups = kGroups;
  for (; groups >= 4 * size; groups /= 2) {
    for (int64_t g = 0; g < groups / 2; ++g) group_max[g] = std::max(group_max[g], group_max[g + groups / 2]);
  }
  std::nth_element(group_max, group_max + size - 1, group_max + groups, std::greater<float>());
  return group_max[size - 1];
}

// Offers the keys at [begin, end) of a row's scores, whole vectors, to its list.
inline void OfferRow(const float* s, int64_t begin, int64_t end, int64_t first_key, TopList list) {
  const F32 d;
  const hn::RebindToSigned<F32> di;
  HWY_ALIGN float scores[kKeyTile + kLanes];
  HWY_ALIGN int32_t keys[kKeyTile + kLanes];
  const bool empty = list.least() == kMinusInfinity;
  const Vector bound = hn::Set(d, empty ? FirstBound(s, begin, end, list.size) : list.least());
  int64_t found = 0;
  for (int64_t j = begin; j < end; j += kLanes) {
    const Vector v = hn::Load(d, s + j);
    const auto above = empty ? hn::Ge(v, bound) : hn::Gt(v, bound);
    if (hn::AllFalse(d, above)) continue;
    hn::CompressStore(hn::Iota(di, static_cast<int32_t>(j)), hn::RebindMask(di, above), di, keys + found);
    found += static_cast<int64_t>(hn::CompressStore(v, above, d, scores + found));
  }
  for (int64_t n = 0; n < found; ++n) list.Offer(scores[n], first_key + keys[n]);
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
