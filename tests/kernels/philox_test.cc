// Dropout factors by the row, for every instruction set: the scalar function is the law.
#include "core/philox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/kernels.h"

namespace limelight::detail {
namespace {

class DropoutRow : public testing::TestWithParam<size_t> {
 protected:
  const Kernels& kernels() const { return all_kernels()[GetParam()]; }

  void expect_scalar_bits(const DropoutKey& dropout, int64_t row, int64_t query, int64_t first_key,
                          int64_t count) const {
    constexpr float kUntouched = -7;
    std::vector<float> factors(static_cast<size_t>(count) + 64, kUntouched);
    kernels().dropout_row(dropout, row, query, first_key, count, factors.data());
    for (int64_t n = 0; n < count; ++n) {
      ASSERT_EQ(factors[static_cast<size_t>(n)], dropout_factor(dropout, row, query, first_key + n))
          << "key " << first_key << " + " << n << " of " << count;
    }
    for (size_t n = static_cast<size_t>(count); n < factors.size(); ++n) ASSERT_EQ(factors[n], kUntouched) << n;
  }
};

TEST_P(DropoutRow, IsTheScalarFunctionForAnyCountAndWritesNoMore) {
  const DropoutKey dropout = dropout_key(0.5f, 0x0123456789abcdefu, 0xfedcba9876543210u);
  for (int64_t count = 0; count <= 70; ++count) expect_scalar_bits(dropout, 3, 1000, 512, count);
}

TEST_P(DropoutRow, IsTheScalarFunctionForAnyFirstKey) {
  const DropoutKey dropout = dropout_key(0.3f, 17, 0);
  for (int64_t first = 0; first < 132; first += 4) expect_scalar_bits(dropout, 0, 0, first, 37);
  for (const int64_t first : {int64_t{1} << 20, (int64_t{1} << 31) - 16, (int64_t{1} << 34) - 128}) {
    expect_scalar_bits(dropout, 1, 2, first, 128);
  }
}

TEST_P(DropoutRow, IsTheScalarFunctionForAnyRowQuerySeedAndOffset) {
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  for (const uint64_t seed : {uint64_t{0}, uint64_t{1} << 32, ~uint64_t{0}}) {
    for (const uint64_t offset : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}}) {
      const DropoutKey dropout = dropout_key(0.5f, seed, offset);
      for (const int64_t row : {int64_t{0}, int64_t{77}, kMost}) {
        for (const int64_t query : {int64_t{0}, int64_t{12345}, kMost}) {
          expect_scalar_bits(dropout, row, query, 64, 100);
        }
      }
    }
  }
}

TEST_P(DropoutRow, IsTheScalarFunctionForAnyProbability) {
  for (const float probability : {0.0f, 0x1p-32f, 0.001f, 0.25f, 0.5f, 0.50001f, 0.999f, 1 - 0x1p-24f}) {
    expect_scalar_bits(dropout_key(probability, 5, 6), 7, 8, 0, 2048);
  }
}

// Where a tile or a row of scores begins must not matter.
TEST_P(DropoutRow, FactorOfAKeyDoesNotDependOnWhereTheRowBegins) {
  const DropoutKey dropout = dropout_key(0.5f, 1, 2);
  std::vector<float> whole(1024), part(1024);
  kernels().dropout_row(dropout, 3, 4, 0, 1024, whole.data());
  for (const int64_t first : {4, 60, 512, 1020}) {
    kernels().dropout_row(dropout, 3, 4, first, 1024 - first, part.data());
    EXPECT_TRUE(std::equal(part.begin(), part.begin() + (1024 - first), whole.begin() + first)) << first;
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, DropoutRow, testing::Range<size_t>(0, all_kernels().size()),
                         [](const auto& test) { return all_kernels()[test.param].isa; });

}  // namespace
}  // namespace limelight::detail
