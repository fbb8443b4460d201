// Shares are rounded so that they add up to the total.
#include "studio/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace limelight::studio {
namespace {

int64_t sum(const std::vector<int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), int64_t{0});
}

TEST(LargestRemainder, AddsToTheTotalAndIsWithinOneOfTheShare) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> shares(1 + random() % 60);
    for (double& share : shares) share = std::pow(std::generate_canonical<double, 53>(random), 8);
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    const std::vector<int64_t> whole = largest_remainder(shares, 1000);
    ASSERT_EQ(sum(whole), 1000);
    for (size_t i = 0; i < shares.size(); ++i) EXPECT_LT(std::abs(shares[i] / all * 1000 - double(whole[i])), 1.0);
  }
}

TEST(LargestRemainder, EqualRemaindersGoToTheEarlier) {
  EXPECT_EQ(largest_remainder(std::vector<double>{1, 1, 1}, 100), (std::vector<int64_t>{34, 33, 33}));
}

TEST(LargestRemainder, KeepsZeroAtZero) {
  EXPECT_EQ(largest_remainder(std::vector<double>{0, 1, 0}, 1000), (std::vector<int64_t>{0, 1000, 0}));
  EXPECT_EQ(largest_remainder(std::vector<double>{0, 0}, 1000), (std::vector<int64_t>{0, 0}));
  EXPECT_TRUE(largest_remainder(std::vector<double>{}, 1000).empty());
}

}  // namespace
}  // namespace limelight::studio
