// Extreme numbers, the softcap, lse, and what a call leaves alone: the floating-point state and the inputs.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

TEST(Numbers, ScoresOfAnyMagnitudeAgreeWithTheReference) {
  for (float scale : {0.0f, -0.7f, 1e-6f, 3.0f, 50.0f, -50.0f}) {
    Problem p = make_problem({.H = 2, .G = 2, .M = 40, .N = 1030, .D = 16, .E = 16});
    p.scale = scale;
    const Judge judge(p);
    under_every_isa([&] { EXPECT_TRUE(judge.agrees(p.attend())) << scale; });
  }
}

// The maximum in the first tile, in the last, rising and falling: each way of rescaling.
TEST(Numbers, MaximumInAnyTileAgreesWithTheReference) {
  for (int kind = 0; kind < 4; ++kind) {
    Problem p = make_problem({.M = 9, .N = 2100, .D = 8, .E = 8});
    p.bias = Tensor<float, 4>({1, 1, 1, 2100});
    for (int64_t j = 0; j < 2100; ++j) {
      const float rising = static_cast<float>(j) / 20;
      (*p.bias)(0, 0, 0, j) = kind == 0   ? rising
                              : kind == 1 ? -rising
                              : kind == 2 ? (j == 0) * 90.0f
                                          : (j == 2099) * 90;
    }
    const Judge judge(p);
    under_every_isa([&] { EXPECT_TRUE(judge.agrees(p.attend())) << kind; });
  }
}

TEST(Numbers, WeightsThatUnderflowAreZeroAndNotSubnormalNoise) {
  Problem p = make_problem({.M = 1, .N = 3, .D = 4, .E = 4});
  p.bias = Tensor<float, 4>({1, 1, 1, 3});
  (*p.bias)(0, 0, 0, 1) = -150;
  (*p.bias)(0, 0, 0, 2) = -1e6f;
  under_every_isa([&] {
    const LensResult lens = look(p.q, p.k, p.options(), {.rows = {0}});
    EXPECT_EQ(lens.rows(0, 0, 0, 2), 0);
    EXPECT_EQ(lens.rows_blocked(0, 0, 0, 2), 0);  // live, if weightless
    EXPECT_EQ(lens.rows(0, 0, 0, 0), 1);
  });
}

TEST(Numbers, SoftcapOfAnySizeAgreesWithTheReferenceAndZeroIsOff) {
  Problem p = make_problem({.H = 2, .G = 1, .M = 40, .N = 600, .D = 16, .E = 16});
  p.scale = 3;
  const AttentionResult off = p.attend();
  for (float cap : {0.05f, 1.0f, 5.0f, 50.0f, 1e4f}) {
    p.softcap = cap;
    const Judge judge(p);
    under_every_isa([&] {
      const AttentionResult found = p.attend();
      EXPECT_TRUE(judge.agrees(found)) << cap;
      EXPECT_FALSE(same_bits(found, off)) << cap;
    });
  }
}

TEST(Numbers, LseIsTheNaturalLogarithmOfTheSumOfTheFinalScores) {
  Problem p = make_problem({.M = 1, .N = 3, .D = 1, .E = 1});
  p.scale = 0;
  p.bias = Tensor<float, 4>({1, 1, 1, 3});
  (*p.bias)(0, 0, 0, 0) = 50;
  (*p.bias)(0, 0, 0, 1) = 50;
  (*p.bias)(0, 0, 0, 2) = -kInfinity;
  under_every_isa([&] { EXPECT_FLOAT_EQ(p.attend().lse(0, 0, 0), 50 + std::log(2.0f)); });
}

TEST(Numbers, FloatingPointStateAndInputsAreLeftAsFound) {
  const Problem p = make_problem({.H = 2, .G = 1, .M = 64, .N = 600, .D = 16, .E = 16});
  const Tensor<float, 4> q = p.q.clone(), k = p.k.clone(), v = p.v.clone();
  const auto subnormal_survives = [] {
    const volatile double tiny = 1e-310;
    const volatile float small = 1e-40f;
    return tiny * 1.0 != 0 && small * 1.0f != 0;
  };
  under_every_isa([&] {
    const int rounding = std::fegetround();
    ASSERT_TRUE(subnormal_survives());
    p.attend();
    look(p.q, p.k, p.options(), {.top_k = 2, .received = true, .entropy = true, .heatmap = 3});
    EXPECT_TRUE(subnormal_survives());
    EXPECT_EQ(std::fegetround(), rounding);
  });
  EXPECT_TRUE(same_bits(p.q, q));
  EXPECT_TRUE(same_bits(p.k, k));
  EXPECT_TRUE(same_bits(p.v, v));
}

}  // namespace
}  // namespace limelight::testing
