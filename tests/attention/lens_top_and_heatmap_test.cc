// Top-k with ties and too few keys; heatmaps whose side does not divide the rows and keys; entropy at its limits.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

TEST(Top, EqualWeightsComeLowestIndexFirst) {
  for (int64_t n : {5, 40, 700, 1500}) {
    Problem p = make_problem({.M = 8, .N = n});
    p.scale = 0;
    under_every_isa([&] {
      const LensResult lens = look(p.q, p.k, p.options(), {.top_k = 9});
      for (int64_t i = 0; i < 8; ++i) {
        for (int64_t r = 0; r < 9; ++r) EXPECT_EQ(lens.top_index(0, 0, i, r), r < n ? r : -1) << n << " rank " << r;
      }
    });
  }
}

// The same key three times over, in one tile and in others: lowest index first, at the border of the list too.
TEST(Top, TwinsKeepTheirOrderAcrossTiles) {
  Problem p = make_problem({.M = 1, .N = 1600, .D = 4});
  p.bias = Tensor<float, 4>({1, 1, 1, 1600});
  p.scale = 0;
  for (int64_t j : {1590, 1100, 700, 20, 3}) (*p.bias)(0, 0, 0, j) = 4;
  (*p.bias)(0, 0, 0, 600) = 5;
  const int64_t expected[] = {600, 3, 20, 700, 1100, 1590, 0, 1};
  under_every_isa([&] {
    for (int64_t k : {1, 2, 3, 4, 6, 8}) {
      const LensResult lens = look(p.q, p.k, p.options(), {.top_k = k});
      for (int64_t r = 0; r < k; ++r) EXPECT_EQ(lens.top_index(0, 0, 0, r), expected[r]) << "k " << k << " rank " << r;
    }
  });
}

TEST(Top, FewerLiveKeysThanAskedEndInMinusOneAndZero) {
  Problem p = make_problem({.M = 4, .N = 3, .D = 8});
  p.causal = Causal::kBottomRight;
  under_every_isa([&] {
    const LensResult lens = look(p.q, p.k, p.options(), {.top_k = 5});
    for (int64_t i = 0; i < 4; ++i) {
      for (int64_t r = 0; r < 5; ++r) {
        EXPECT_EQ(lens.top_index(0, 0, i, r) == -1, r >= i) << i << " " << r;
        EXPECT_EQ(lens.top_weight(0, 0, i, r) == 0, r >= i) << i << " " << r;
      }
    }
  });
}

TEST(Top, ListsOfAnyLengthAgreeWithTheReference) {
  const Problem p = make_problem({.H = 2, .G = 1, .M = 11, .N = 1300, .D = 8});
  const Judge judge(p);
  for (int64_t k : {1, 2, 3, 8, 16, 17, 64, 600, 1301}) {
    const LensRequest request{.top_k = k};
    under_every_isa([&] { EXPECT_TRUE(judge.agrees(look(p.q, p.k, p.options(), request), request)) << k; });
  }
}

// Scores that rise with the key fill the list anew in every tile; scores that fall never after the first.
TEST(Top, RisingAndFallingScoresAgreeWithTheReference) {
  for (float slope : {0.01f, -0.01f}) {
    Problem p = make_problem({.M = 3, .N = 1700, .D = 4});
    p.scale = 0;
    p.bias = Tensor<float, 4>({1, 1, 1, 1700});
    for (int64_t j = 0; j < 1700; ++j) (*p.bias)(0, 0, 0, j) = slope * static_cast<float>(j);
    under_every_isa([&] {
      const LensResult lens = look(p.q, p.k, p.options(), {.top_k = 20});
      for (int64_t r = 0; r < 20; ++r) EXPECT_EQ(lens.top_index(0, 0, 2, r), slope > 0 ? 1699 - r : r);
    });
  }
}

TEST(Heatmap, AnySideAgreesWithTheReference) {
  for (auto [m, n] : {std::pair{1, 1}, {5, 9}, {64, 64}, {61, 540}, {300, 37}, {260, 1030}}) {
    for (int64_t side : {1, 2, 3, 16, 64, 100}) {
      Problem p = make_problem({.H = 2, .G = 1, .M = m, .N = n, .D = 8});
      p.causal = side % 2 == 0 ? Causal::kNone : Causal::kBottomRight;
      const Judge judge(p);
      const LensRequest request{.received = true, .heatmap = side};
      under_every_isa(
          [&] { EXPECT_TRUE(judge.agrees(look(p.q, p.k, p.options(), request), request)) << p.text() << " " << side; });
    }
  }
}

TEST(Heatmap, CellsOfAShortSequenceSpreadOverItsOwnKeys) {
  Problem p = make_problem({.B = 3, .M = 10, .N = 600, .D = 8});
  p.key_lengths = Tensor<int64_t, 1>({3});
  (*p.key_lengths)(0) = 8, (*p.key_lengths)(1) = 0, (*p.key_lengths)(2) = 515;
  const LensRequest request{.heatmap = 4};
  under_every_isa([&] { EXPECT_TRUE(Judge(p).agrees(look(p.q, p.k, p.options(), request), request)); });
}

TEST(Heatmap, NoQueriesOrNoKeysIsAllZero) {
  for (const Shape& shape : {Shape{.M = 0, .N = 5}, Shape{.M = 5, .N = 0}}) {
    const Problem p = make_problem(shape);
    const LensResult lens = look(p.q, p.k, p.options(), {.top_k = 2, .received = true, .entropy = true, .heatmap = 3});
    EXPECT_EQ(lens.heatmap_sum.count(), 9);
    for (int64_t cell = 0; cell < 9; ++cell) EXPECT_EQ(lens.heatmap_sum.data()[cell], 0);
    for (int64_t i = 0; i < shape.M; ++i) EXPECT_EQ(lens.entropy(0, 0, i), 0);
    for (int64_t r = 0; r < 2 * shape.M; ++r) EXPECT_EQ(lens.top_index.data()[r], -1);
    for (int64_t j = 0; j < shape.N; ++j) EXPECT_EQ(lens.received(0, 0, j), 0);
  }
}

TEST(Entropy, OfEqualWeightsIsTheLogarithmOfTheirNumber) {
  for (int64_t n : {1, 2, 100, 513, 5000}) {
    Problem p = make_problem({.M = 2, .N = n});
    p.scale = 0;
    under_every_isa([&] {
      const LensResult lens = look(p.q, p.k, p.options(), {.entropy = true});
      EXPECT_NEAR(lens.entropy(0, 0, 1), std::log(static_cast<double>(n)), 2e-6) << n;
    });
  }
}

TEST(Entropy, OfOneStrongKeyIsNearZeroAndNeverNegative) {
  for (float lead : {20.0f, 60.0f, 100.0f, 1000.0f, 1e30f}) {
    for (int64_t strong : {0, 511, 512, 1299}) {
      Problem p = make_problem({.M = 7, .N = 1300, .D = 8});
      p.bias = Tensor<float, 4>({1, 1, 1, 1300});
      (*p.bias)(0, 0, 0, strong) = lead;
      const auto exact = detail::reference_lens(Judge(p).exact, 0, 0);
      under_every_isa([&] {
        const LensResult lens = look(p.q, p.k, p.options(), {.entropy = true});
        // Beside a weight of 1 a float sum drops the terms below 2^-25: here 1300 of about e^-20, 4e-6 in all.
        EXPECT_LE(error_of(lens.entropy, exact.entropy).max, 5e-6) << lead << " at " << strong;
        for (int64_t i = 0; i < 7; ++i) EXPECT_GE(lens.entropy(0, 0, i), 0) << lead << " at " << strong;
      });
    }
  }
}

}  // namespace
}  // namespace limelight::testing
