// Extreme numbers, the softcap, lse, and what a call leaves alone: the floating-point state and the inputs.
#include <gtest/gtest.h>

#include <cfenv>
#include <cfloat>
#include <cmath>

#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

Problem constant(const Shape& shape, float q, float k) {
  Problem p = make_problem(shape);
  std::fill_n(p.q.data(), p.q.count(), q);
  std::fill_n(p.k.data(), p.k.count(), k);
  return p;
}

// No finite number may stand for "no maximum yet": scores far below any sentinel are still a mean.
TEST(Numbers, VeryNegativeEqualScoresGiveTheMean) {
  for (int64_t n : {70, 512, 1100}) {
    const Problem p = constant({.M = 3, .N = n, .D = 64, .E = 16}, 40, -40);
    const Judge judge(p);
    under_every_isa([&] {
      const AttentionResult found = p.attend();
      EXPECT_TRUE(judge.agrees(found)) << n;
      EXPECT_NEAR(found.lse(0, 0, 0), -102400 / 8 + std::log(static_cast<double>(n)), 2e-3);
    });
  }
}

TEST(Numbers, LargeFiniteValuesStayFinite) {
  Problem p = constant({.M = 2, .N = 64, .D = 128, .E = 8}, 30, 30);
  std::fill_n(p.v.data(), p.v.count(), 60000.0f);
  under_every_isa([&] {
    const AttentionResult found = p.attend();
    for (int64_t n = 0; n < found.out.count(); ++n) EXPECT_NEAR(found.out.data()[n], 60000, 0.05);
  });
}

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

TEST(Numbers, SoftcapComesBeforeTheMaskSoTheFutureStaysHidden) {
  Problem p = make_problem({.M = 8, .N = 8, .D = 8, .E = 8});
  p.causal = Causal::kTopLeft;
  p.softcap = 1;
  LensRequest request;
  for (int64_t i = 0; i < 8; ++i) request.rows.push_back(i);
  under_every_isa([&] {
    const LensResult lens = look(p.q, p.k, p.options(), request);
    for (int64_t i = 0; i < 8; ++i) {
      for (int64_t j = i + 1; j < 8; ++j) EXPECT_EQ(lens.rows(0, 0, i, j), 0);
    }
    EXPECT_TRUE(Judge(p).agrees(lens, request));
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

// Two halves of the keys, joined by their lse, make the whole; also when one half is empty.
TEST(Numbers, HalvesJoinedByLseMakeTheWhole) {
  const Problem p = make_problem({.M = 20, .N = 600, .D = 16, .E = 16});
  const Judge judge(p);
  for (int64_t cut : {0, 1, 300, 600}) {
    const auto part = [&](int64_t begin, int64_t count) {
      return attention(p.q, slice(p.k.view(), 2, begin, count), slice(p.v.view(), 2, begin, count));
    };
    const AttentionResult a = part(0, cut), b = part(cut, 600 - cut);
    for (int64_t i = 0; i < 20; ++i) {
      const double lse = std::log(std::exp(static_cast<double>(a.lse(0, 0, i))) + std::exp(b.lse(0, 0, i)));
      EXPECT_NEAR(lse, judge.exact.lse(0, 0, i), 2e-6);
      for (int64_t e = 0; e < 16; ++e) {
        const double joined =
            std::exp(a.lse(0, 0, i) - lse) * a.out(0, 0, i, e) + std::exp(b.lse(0, 0, i) - lse) * b.out(0, 0, i, e);
        EXPECT_NEAR(joined, judge.exact.out(0, 0, i, e), 2e-6);
      }
    }
  }
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
