// The strongest keys of a row, kept while its scores pass by: most tiles cost one comparison, the others no hard
// branch.
#if defined(LIMELIGHT_KERNELS_TOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_TOP_INL_H_
#undef LIMELIGHT_KERNELS_TOP_INL_H_
#else
#define LIMELIGHT_KERNELS_TOP_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <limits>

#include "hwy/highway.h"
#include "kernels/scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Scores of a tile that may enter a list, keys ascending; padded with minus infinity to whole vectors.
struct Candidates {
  HWY_ALIGN float score[kKeyTile + 2 * kLanes];
  HWY_ALIGN int32_t key[kKeyTile + 2 * kLanes];
  int64_t count = 0;
};

// How many of values [0, count), padded with minus infinity, stand ahead of `s` at place `at`: larger ones, and equal
// ones at an earlier place.
HWY_INLINE int64_t CountAhead(const float* values, int64_t count, float s, int64_t at) {
  const F32 d;
  const hn::RebindToSigned<F32> di;
  const Vector bound = hn::Set(d, s);
  size_t ahead = 0;
  for (int64_t j = 0; j < count; j += kLanes) {
    const Vector v = hn::LoadU(d, values + j);
    const auto earlier = hn::Lt(hn::Iota(di, 0), hn::Set(di, static_cast<int32_t>(at - j)));
    ahead += hn::CountTrue(d, hn::Or(hn::Gt(v, bound), hn::And(hn::Eq(v, bound), hn::RebindMask(d, earlier))));
  }
  return static_cast<int64_t>(ahead);
}

// A bound that at least `size` scores of the tile reach: the size-th largest of the maxima of disjoint groups of keys.
// It leaves about 1.4 size of 512 keys as candidates for a list that is still empty.
HWY_INLINE float TileBound(const float* s, int64_t begin, int64_t end, int64_t size) {
  const F32 d;
  constexpr int64_t kGroups = std::max<int64_t>(2 * kPanel, 32);
  if (2 * size > kGroups || end - begin < 4 * size) return std::numeric_limits<float>::lowest();
  HWY_ALIGN float group_max[kGroups];
  std::fill_n(group_max, kGroups, kMinusInfinity);
  for (int64_t j = begin; j < end; j += kLanes) {
    float* to = group_max + j % kGroups;
    hn::Store(hn::Max(hn::Load(d, to), hn::Load(d, s + j)), d, to);
  }
  int64_t groups = kGroups;
  for (; groups >= 4 * size && groups >= 2 * kLanes; groups /= 2) {
    for (int64_t g = 0; g < groups / 2; g += kLanes) {
      hn::Store(hn::Max(hn::Load(d, group_max + g), hn::Load(d, group_max + g + groups / 2)), d, group_max + g);
    }
  }
  for (int64_t g = 0; g < groups; ++g) {
    if (CountAhead(group_max, groups, group_max[g], g) == size - 1) {
      return std::max(std::numeric_limits<float>::lowest(), group_max[g]);
    }
  }
  return std::numeric_limits<float>::lowest();
}

// Which pairs of vectors, up to 64 from `begin` on, hold a score that reaches `bound`: one bit each. A branch a vector
// instead would be mispredicted at every hit, which took half of the time here.
HWY_INLINE uint64_t PairsReaching(const float* s, int64_t begin, int64_t end, Vector bound) {
  const F32 d;
  uint64_t pairs = 0;
  for (int64_t j = begin; j < end; j += kPair) {
    const auto reaches = hn::Ge(hn::Max(hn::Load(d, s + j), hn::Load(d, s + j + kLanes)), bound);
    pairs |= uint64_t{!hn::AllFalse(d, reaches)} << ((j - begin) / kPair);
  }
  return pairs;
}

HWY_INLINE void Collect(const float* s, int64_t begin, int64_t end, float least, Candidates& found) {
  const F32 d;
  const hn::RebindToSigned<F32> di;
  const Vector bound = hn::Set(d, least);
  // A constant: Iota of a variable is built in memory, lane by lane, which was a third of the time here.
  const auto first_keys = hn::Iota(di, 0);
  found.count = 0;
  for (int64_t chunk = begin; chunk < end; chunk += 64 * kPair) {
    uint64_t pairs = PairsReaching(s, chunk, std::min(end, chunk + 64 * kPair), bound);
    for (; pairs != 0; pairs &= pairs - 1) {
      const int64_t pair = chunk + kPair * std::countr_zero(pairs);
      for (int64_t j = pair; j < pair + kPair; j += kLanes) {
        const Vector v = hn::Load(d, s + j);
        const auto reaches = hn::Ge(v, bound);
        const auto keys = hn::Add(first_keys, hn::Set(di, static_cast<int32_t>(j)));
        // Compressed in a register and stored whole: a compressing store to memory is microcoded on some processors.
        hn::StoreU(hn::Compress(v, reaches), d, found.score + found.count);
        hn::StoreU(hn::Compress(keys, hn::RebindMask(di, reaches)), di, found.key + found.count);
        found.count += static_cast<int64_t>(hn::CountTrue(d, reaches));
      }
    }
  }
  hn::StoreU(hn::Set(d, kMinusInfinity), d, found.score + found.count);
}

// One row's list: scores descending, equal ones by ascending key; readable in whole vectors, minus infinity beyond its
// end.
struct TopList {
  float* score;
  int64_t* index;
  int64_t size;

  float Least() const { return score[size - 1]; }
};

// Every entry, old and new, is written straight to its rank; candidates' keys come after all keys of the list. One
// comparison of a candidate with a vector of the list counts for both: the entries it passes, and its own place among
// them.
HWY_INLINE void Merge(const Candidates& found, int64_t first_key, TopList spare, TopList list) {
  const F32 d;
  const hn::RebindToSigned<F32> di;
  int64_t rank[kKeyTile];
  for (int64_t n = 0; n < found.count; ++n) rank[n] = CountAhead(found.score, found.count, found.score[n], n);
  for (int64_t p = 0; p < list.size; p += kLanes) {
    const Vector kept = hn::LoadU(d, list.score + p);
    auto passed = hn::Zero(di);
    for (int64_t n = 0; n < found.count; ++n) {
      const auto passes = hn::Gt(hn::Set(d, found.score[n]), kept);
      passed = hn::Sub(passed, hn::BitCast(di, hn::VecFromMask(d, passes)));  // a true lane is -1
      rank[n] += kLanes - static_cast<int64_t>(hn::CountTrue(d, passes));
    }
    HWY_ALIGN int32_t shift[kLanes];
    hn::Store(passed, di, shift);
    for (int64_t lane = 0; lane < std::min(kLanes, list.size - p); ++lane) {
      const int64_t to = std::min(list.size, p + lane + shift[lane]);
      spare.score[to] = list.score[p + lane];
      spare.index[to] = list.index[p + lane];
    }
  }
  for (int64_t n = 0; n < found.count; ++n) {
    const int64_t to = std::min(list.size, rank[n]);
    spare.score[to] = found.score[n];
    spare.index[to] = first_key + found.key[n];
  }
  std::copy_n(spare.score, list.size, list.score);
  std::copy_n(spare.index, list.size, list.index);
}

// Offers the keys [begin, end) of a row's scores, whole vectors, to its list. `spare` has room for size + 1.
inline void OfferRow(const float* s, int64_t begin, int64_t end, int64_t first_key, TopList spare, TopList list) {
  Candidates found;
  const bool empty = list.Least() == kMinusInfinity;
  Collect(s, begin, end, empty ? TileBound(s, begin, end, list.size) : list.Least(), found);
  // Scores that rise from tile to tile pass the list's own bound by the hundred.
  if (!empty && found.count > 4 * list.size + kLanes) {
    Collect(s, begin, end, std::max(list.Least(), TileBound(s, begin, end, list.size)), found);
  }
  if (found.count > 0) Merge(found, first_key, spare, list);
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
