// Philox against its published answers, and the laws of dropout factors.
#include "core/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace limelight::detail {
namespace {

using Counter = std::array<uint32_t, 4>;

// From Random123's file of known answers (kat_vectors, philox4x32 10): zeros, ones, digits of pi.
TEST(Philox, GivesTheKnownAnswers) {
  constexpr uint32_t kOnes = 0xffffffffu;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Counter{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Counter{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
  EXPECT_EQ(philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}),
            (Counter{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}));
}

TEST(Dropout, FactorIsAWordOfItsCounterAgainstTheThreshold) {
  const DropoutKey dropout = dropout_key(0.5f, 0x299f31d0a4093822u, 0x03707344u);
  const Counter words = philox({7, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u});
  for (int64_t n = 0; n < 4; ++n) {
    const float expected = words[static_cast<size_t>(n)] < 0x80000000u ? 0.0f : 2.0f;
    EXPECT_EQ(dropout_factor(dropout, 0x13198a2e, 0x85a308d3, 28 + n), expected) << n;
  }
}

TEST(Dropout, ThresholdIsTheProbabilityRoundedTo32Bits) {
  EXPECT_EQ(dropout_key(0.0f, 1, 2).threshold, 0u);
  EXPECT_EQ(dropout_key(0.5f, 1, 2).threshold, 0x80000000u);
  EXPECT_EQ(dropout_key(0.1f, 1, 2).threshold, 429496736u);  // 0.1f is 13421773 / 2^27
  EXPECT_EQ(dropout_key(0x1p-33f, 1, 2).threshold, 1u);
  EXPECT_EQ(dropout_key(0x1p-34f, 1, 2).threshold, 0u);
  EXPECT_EQ(dropout_key(std::nextafter(1.0f, 0.0f), 1, 2).threshold, 0xffffff00u);
}

TEST(Dropout, HighWordsOfSeedAndOffsetAreAdded) {
  EXPECT_EQ(dropout_key(0.5f, 0x0000000300000001u, 0x0000000400000002u).key, (std::array<uint32_t, 2>{1, 7}));
  EXPECT_EQ(dropout_key(0.5f, 0x0000000300000001u, 0x0000000400000002u).offset, 2u);
}

TEST(Dropout, KeptWeightsGrowByOneOverTheirShare) {
  EXPECT_EQ(dropout_key(0.0f, 1, 2).kept, 1.0f);
  EXPECT_EQ(dropout_key(0.75f, 1, 2).kept, 4.0f);
  EXPECT_EQ(dropout_key(std::nextafter(1.0f, 0.0f), 1, 2).kept, 0x1p24f);
}

TEST(Dropout, OffDropsNothing) {
  const DropoutKey off = dropout_key(0, 3, 4);
  for (int64_t key = 0; key < 1000; ++key) ASSERT_EQ(dropout_factor(off, 5, 6, key), 1.0f);
}

TEST(Dropout, MeanOfTheFactorsIsOne) {
  for (const float probability : {0.01f, 0.1f, 0.5f, 0.9f}) {
    const DropoutKey dropout = dropout_key(probability, 11, 12);
    double sum = 0;
    constexpr int kRows = 100, kKeys = 1000;
    for (int64_t query = 0; query < kRows; ++query) {
      for (int64_t key = 0; key < kKeys; ++key) sum += dropout_factor(dropout, 3, query, key);
    }
    const double deviation = std::sqrt(probability / (1.0 - probability) / (kRows * kKeys));
    EXPECT_LT(std::abs(sum / (kRows * kKeys) - 1.0), 4 * deviation) << probability;
  }
}

// 64 factors at one half are 64 random bits: all of these differ, or an argument is not used.
TEST(Dropout, EveryArgumentMattersInAllItsBits) {
  std::set<uint64_t> seen;
  int drawn = 0;
  const auto draw = [&](uint64_t seed, uint64_t offset, int64_t row, int64_t query, int64_t first) {
    const DropoutKey dropout = dropout_key(0.5f, seed, offset);
    uint64_t bits = 0;
    for (int64_t key = 0; key < 64; ++key) {
      bits = 2 * bits + (dropout_factor(dropout, row, query, first + key) == 0.0f ? 1 : 0);
    }
    seen.insert(bits);
    ++drawn;
  };
  draw(0, 0, 0, 0, 0);
  for (int bit = 0; bit < 64; ++bit) draw(uint64_t{1} << bit, 0, 0, 0, 0);
  for (int bit = 0; bit < 32; ++bit) draw(0, uint64_t{1} << bit, 0, 0, 0);
  for (int bit = 0; bit < 32; ++bit) draw(0, 0, int64_t{1} << bit, 0, 0);
  for (int bit = 0; bit < 32; ++bit) draw(0, 0, 0, int64_t{1} << bit, 0);
  for (int bit = 6; bit < 34; ++bit) draw(0, 0, 0, 0, int64_t{1} << bit);
  for (int bit = 32; bit < 64; ++bit) draw(5, uint64_t{1} << bit, 0, 0, 0);
  EXPECT_EQ(static_cast<int>(seen.size()), drawn);
}

}  // namespace
}  // namespace limelight::detail
