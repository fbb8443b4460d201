// Dropout factors of one query's keys: Philox4x32-10 with a counter in every 128-bit block, bit for bit core/philox.h.
#if defined(LIMELIGHT_KERNELS_PHILOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_PHILOX_INL_H_
#undef LIMELIGHT_KERNELS_PHILOX_INL_H_
#else
#define LIMELIGHT_KERNELS_PHILOX_INL_H_
#endif

#include <algorithm>
#include <utility>

#include "core/philox.h"
#include "hwy/highway.h"
#include "kernels/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR  // one lane has no blocks
void DropoutRow(const DropoutKey& key, int64_t row, int64_t query, int64_t first_key, int64_t count,
                float* factors) noexcept {
  for (int64_t n = 0; n < count; ++n) factors[n] = dropout_factor(key, row, query, first_key + n);
}
#else
using S32 = hn::RebindToSigned<F32>;
using U32 = hn::RebindToUnsigned<F32>;
using U64 = hn::RepartitionToWide<U32>;

// A round multiplies the words x0 and x2 of a block, one in each 64-bit lane. High halves of the products go into x2
// and x0 of the next round; low halves are its x3 and x1, which go into x2 and x0 of the round after. So where x0 and
// x2 change lanes every other round, the low halves lie where they are used and the high ones come by one shuffle. Bits
// above a word do no harm: a multiplication does not look at them.
constexpr int FirstWordLane(int round) {
  return round % 4 == 1 || round % 4 == 2 ? 0 : 1;
}

// In every block: `first` in the lane of x0 before `round`, `third` in that of x2.
HWY_INLINE hn::Vec<U64> PlaceWords(int round, uint64_t first, uint64_t third) {
  if (FirstWordLane(round) == 1) std::swap(first, third);
  return hn::OddEven(hn::Set(U64(), third), hn::Set(U64(), first));
}

// What all keys of a query have in common.
struct PhiloxRow {
  hn::Vec<U64> multiplier[2];         // by the lane of x0
  hn::Vec<U64> added[kPhiloxRounds];  // the key of each round

  HWY_INLINE PhiloxRow(const DropoutKey& dropout, int64_t query) {
    for (int round = 0; round < 2; ++round) {
      multiplier[FirstWordLane(round)] = PlaceWords(round, kPhiloxMultiplier[0], kPhiloxMultiplier[1]);
    }
    auto [first, third] = dropout.key;
    for (int round = 0; round < kPhiloxRounds; ++round) {
      added[round] = PlaceWords(round + 1, first, third);
      first += kPhiloxGrowth[0];
      third += kPhiloxGrowth[1];
    }
    // Round 0 also adds the counter's x1 and x3, and the last round flips all signs: words compare as signed numbers.
    added[0] = hn::Xor(added[0], PlaceWords(1, static_cast<uint32_t>(query), dropout.offset));
    added[kPhiloxRounds - 1] = hn::Xor(added[kPhiloxRounds - 1], hn::Set(U64(), 0x8000000080000000u));
  }
};

// The four words of every block, in order and with signs flipped, from the products of round 0.
HWY_INLINE hn::Vec<S32> PhiloxWords(const PhiloxRow& row, hn::Vec<U64> product) {
  const U32 d;
  const U64 d64;
  hn::Vec<U64> previous = hn::Zero(d64), word = product;
#pragma GCC unroll 10
  for (int round = 0; round < kPhiloxRounds; ++round) {
    if (round > 0) product = hn::MulEven(hn::BitCast(d, word), hn::BitCast(d, row.multiplier[FirstWordLane(round)]));
    const auto halves = hn::BitCast(d, product);
    const auto high = hn::BitCast(d64, round % 2 == 0 ? hn::Shuffle2301(halves) : hn::Shuffle0123(halves));
    if (round == kPhiloxRounds - 1) previous = hn::And(previous, hn::Set(d64, 0xffffffffu));
    word = hn::Xor3(high, previous, row.added[round]);
    previous = product;
  }
  return hn::BitCast(S32(), word);
}

void DropoutRow(const DropoutKey& key, int64_t row, int64_t query, int64_t first_key, int64_t count,
                float* factors) noexcept {
  const F32 d;
  const PhiloxRow philox_row(key, query);
  const auto threshold = hn::Set(S32(), static_cast<int32_t>(key.threshold ^ 0x80000000u));
  const Vector kept = hn::Set(d, key.kept);
  // The products of round 0 grow by the same amount from block to block: no multiplication.
  const uint64_t third = uint64_t{kPhiloxMultiplier[1]} * static_cast<uint32_t>(row);
  uint64_t products[kLanes / 2], steps[kLanes / 2];
  for (int64_t block = 0; block < kLanes / 4; ++block) {
    products[2 * block] = third;
    products[2 * block + 1] = kPhiloxMultiplier[0] * static_cast<uint64_t>(first_key / 4 + block);
    steps[2 * block] = 0;
    steps[2 * block + 1] = kPhiloxMultiplier[0] * static_cast<uint64_t>(kLanes / 4);
  }
  auto product = hn::LoadU(U64(), products);
  const auto step = hn::LoadU(U64(), steps);
  const auto next = [&] {
    const auto dropped = hn::RebindMask(d, hn::Lt(PhiloxWords(philox_row, product), threshold));
    product = hn::Add(product, step);
    return hn::IfThenZeroElse(dropped, kept);
  };
  int64_t n = 0;
  for (; n + kLanes <= count; n += kLanes) hn::StoreU(next(), d, factors + n);
  if (n == count) return;
  float rest[kLanes];
  hn::StoreU(next(), d, rest);
  std::copy_n(rest, count - n, factors + n);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
