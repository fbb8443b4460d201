// Gradients of grouped heads, of sizes that differ, and of rows without keys.
#include <gtest/gtest.h>

#include "tests/attention/bug_cases.h"
#include "tests/attention/layout.h"

namespace limelight::testing {
namespace {

// loss = sum out dout, in double.
double loss(const Problem& p, const Tensor<float, 4>& dout) {
  const auto exact = detail::reference_attention<double>(p.q, p.k, p.v, p.options());
  double sum = 0;
  for (int64_t n = 0; n < dout.count(); ++n) sum += exact.out.data()[n] * dout.data()[n];
  return sum;
}

// The slope of the loss along one element, by central differences.
double slope(Problem& p, float& element, const Tensor<float, 4>& dout) {
  const float at = element, high = at + 0x1p-9f, low = at - 0x1p-9f;
  element = high;
  const double above = loss(p, dout);
  element = low;
  const double below = loss(p, dout);
  element = at;
  return (above - below) / (double{high} - double{low});
}

// marin-community/levanter#449; XunhaoLai/native-sparse-attention-triton#27.
TEST(GradientCases, KeysAndValuesOfAGroupGetTheSumOverItsHeads) {
  for (const auto& [H, G] : {std::pair<int64_t, int64_t>{8, 2}, {12, 3}, {4, 1}}) {
    for (const auto& [D, E] : {std::pair<int64_t, int64_t>{32, 64}, {64, 32}}) {
      Problem p = make_problem({.B = 2, .H = H, .G = G, .M = 5, .N = 7, .D = D, .E = E});
      p.causal = Causal::kBottomRight;
      expect_exact(p);
      const Tensor<float, 4> dout = dout_for({2, H, 5, E});
      const Gradients found = gradients(p, dout);
      for (int64_t g = 0; g < G; ++g) {
        for (const auto& [j, d] : {std::pair<int64_t, int64_t>{0, 0}, {6, 31}, {3, 17}}) {
          EXPECT_NEAR(found.dk(1, g, j, d), slope(p, p.k(1, g, j, d), dout), 1e-4) << "dk, H " << H << " group " << g;
          EXPECT_NEAR(found.dv(1, g, j, d), slope(p, p.v(1, g, j, d), dout), 1e-4) << "dv, H " << H << " group " << g;
        }
      }
      EXPECT_NEAR(found.dq(1, H - 1, 4, D - 1), slope(p, p.q(1, H - 1, 4, D - 1), dout), 1e-4);
    }
  }
}

// pytorch/pytorch#41508, #196170; lucidrains/nGPT-pytorch#11: each row sees its own key and the one before; the second
// sequence has two keys, so that its last row sees none.
Problem banded_and_padded() {
  Problem p = make_problem({.B = 2, .M = 4, .N = 4, .D = 1, .E = 1});
  p.mask = Tensor<uint8_t, 4>({2, 1, 4, 4});
  for_each_index(p.mask->sizes(), [&](int64_t b, int64_t h, int64_t i, int64_t j) {
    (*p.mask)(b, h, i, j) = (j == i || j == i - 1) && (b == 0 || j < 2);
  });
  return p;
}

TEST(GradientCases, RowWithoutKeysAddsExactlyNothingWhateverArrivesThere) {
  const Problem p = banded_and_padded();
  expect_exact(p);
  Tensor<float, 4> dout = dout_for({2, 1, 4, 1});
  for (const bool all_rows : {false, true}) {
    if (!all_rows) {
      for (int64_t b = 0; b < 2; ++b) dout(b, 0, 2, 0) = dout(b, 0, 3, 0) = 0;
    } else {
      dout = dout_for({2, 1, 4, 1});
    }
    const GradientJudge judge(p, dout);
    under_every_isa([&] {
      const Gradients found = gradients(p, dout);
      EXPECT_TRUE(judge.agrees(found));
      EXPECT_EQ(found.dq(1, 0, 3, 0), 0);
      for (const float arriving : {1e30f, kInfinity, kNaN}) {
        Tensor<float, 4> other = dout.clone();
        other(1, 0, 3, 0) = arriving;
        EXPECT_TRUE(same_bits(gradients(p, other), found)) << arriving;
      }
    });
  }
}

// The same in a pack with sinks and a bias of its own rows: every gradient that there is.
TEST(GradientCases, RowsWithoutKeysAddNothingToBiasAndSinks) {
  Problem p = make_problem({.H = 2, .G = 1, .M = 6, .N = 5, .D = 4, .E = 3});
  p.cu_q = list_of({0, 3, 6});
  p.cu_k = list_of({0, 5, 5});
  p.sinks = Tensor<float, 1>({2});
  (*p.sinks)(0) = -kInfinity, (*p.sinks)(1) = 0.5f;
  p.bias = filled({1, 1, 6, 1}, 0.25f);
  expect_exact(p, 2);
  under_every_isa([&] {
    const Gradients found = gradients(p, dout_for({1, 2, 6, 3}));
    for (int64_t i = 3; i < 6; ++i) EXPECT_EQ(found.dbias(0, 0, i, 0), 0) << i;
    EXPECT_EQ(found.dsinks(0), 0);
  });
}

}  // namespace
}  // namespace limelight::testing
