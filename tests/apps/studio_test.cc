// The studio's arithmetic and words: rounding that adds up, spellings, widths.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "studio/rounding.h"
#include "studio/unicode.h"

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

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("animal"), 6);
  EXPECT_EQ(display_width("été"), 3);
  EXPECT_EQ(display_width("e\u0301"), 1);  // a combining accent
  EXPECT_EQ(display_width("動物"), 4);
  EXPECT_EQ(display_width("🙂"), 2);
  EXPECT_EQ(display_width(""), 0);
}

TEST(Unicode, DecodingAndEncodingReturnTheText) {
  const std::string text = "aé動🙂";
  EXPECT_EQ(decode_utf8(text).size(), 4u);
  EXPECT_EQ(encode_utf8(decode_utf8(text)), text);
}

TEST(Unicode, BytesThatAreNotUtf8BecomeReplacements) {
  EXPECT_EQ(decode_utf8("a\xFF\xE5\x8B"), U"a\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(decode_utf8("\xC0\x80"), U"\uFFFD\uFFFD");
  EXPECT_EQ(decode_utf8("\xED\xA0\x80"), U"\uFFFD\uFFFD\uFFFD") << "a surrogate";
  EXPECT_EQ(decode_utf8("\xE0\x81\x81"), U"\uFFFD\uFFFD\uFFFD") << "a letter in three bytes";
  EXPECT_EQ(decode_utf8("\xF4\x90\x80\x80"), U"\uFFFD\uFFFD\uFFFD\uFFFD") << "beyond U+10FFFF";
}

TEST(Fold, IgnoresCaseAndTheApostrophesForm) {
  EXPECT_EQ(fold("DIDN\u2019T"), fold("didn't"));
  EXPECT_EQ(fold("ÉTÉ"), fold("été"));
  EXPECT_NE(fold("it"), fold("its"));
}

TEST(EditDistance, CountsChangesOfCodePoints) {
  EXPECT_EQ(edit_distance(U"animal", U"animal"), 0);
  EXPECT_EQ(edit_distance(U"animl", U"animal"), 1);
  EXPECT_EQ(edit_distance(U"", U"abc"), 3);
  EXPECT_EQ(edit_distance(U"kitten", U"sitting"), 3);
  EXPECT_EQ(edit_distance(U"動物", U"動"), 1);
}

}  // namespace
}  // namespace limelight::studio
