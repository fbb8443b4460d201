// Laws of gradients and accumulate, for every instruction set: each against a plain loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/rounding.h"
#include "limelight/tensor.h"
#include "tests/kernels/score_case.h"

namespace limelight::testing {
namespace {

using namespace detail;

constexpr float kUntouched = -77;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

bool is_mark(float x) {
  return std::bit_cast<uint32_t>(x) == 0x80000000u;
}

// A gradient group on a score case, with the plain formulas of its results.
struct GradientCase {
  GradientCase(const Kernels& kernels, const ScoreShape& shape, int64_t value_depth)
      : scores(kernels, shape, 11),
        values(random_floats(shape.keys * value_depth, 1)),
        panels(static_cast<size_t>(round_up(shape.keys, kernels.panel) * value_depth)),
        douts(random_floats(shape.rows * value_depth, 2)),
        lse(random_floats(shape.rows, 3)),
        delta(random_floats(shape.rows, 4)),
        weights({shape.rows * kScoreStride}),
        gradients(weights.clone()),
        bias_gradients(weights.clone()) {
    std::fill_n(weights.data(), weights.count(), kUntouched);
    kernels.pack_panels(values.data(), value_depth, 1, shape.keys, value_depth, panels.data());
    for (float& x : lse) x += 5;
    lse[0] = -kMinusInfinity;  // a row without keys
    group.score = scores.group;
    group.lse = lse.data();
    group.delta = delta.data();
    group.douts = douts.data();
    group.dout_stride = group.value_depth = value_depth;
    group.values = panels.data();
    group.width = shape.keys;
    group.weights = weights.data();
    group.gradients = gradients.data();
    if (shape.softcap > 0) group.bias_gradients = bias_gradients.data();
  }

  double weight(int64_t i, int64_t j) const { return std::exp(scores.score(i, j) - lse[i]); }
  double dweight(int64_t i, int64_t j) const {
    double sum = 0;
    for (int64_t e = 0; e < group.value_depth; ++e) {
      sum += static_cast<double>(douts[i * group.value_depth + e]) *
             static_cast<double>(values[j * group.value_depth + e]);
    }
    return sum * scores.keep(i, j);
  }

  ScoreCase scores;
  std::vector<float> values, panels, douts, lse, delta;
  Tensor<float, 1> weights, gradients, bias_gradients;  // aligned to vectors
  GradientGroup group;
};

class GradientsTest : public ::testing::TestWithParam<size_t> {
 protected:
  const Kernels& kernels() const { return all_kernels()[GetParam()]; }

  // c += a b as Accumulation says, in the arithmetic of the instruction set.
  void accumulate_plainly(const Accumulation& work, float* c) const {
    const bool fused = kernels().isa == "avx512" || kernels().isa == "avx2";
    for (int64_t i = 0; i < work.rows; ++i) {
      for (int64_t n = 0; n < work.columns; ++n) {
        float& sum = c[i * work.c_stride + n];
        for (int64_t k = 0; k < work.steps; ++k) {
          const float a = work.a[i * work.a_row_stride + k * work.a_step_stride], b = work.b[k * work.b_stride + n];
          if (work.skip_masked && is_mark(a)) continue;
          sum = fused ? std::fma(a, b, sum) : sum + a * b;
        }
      }
    }
  }
};

// dP and a score of a few units are off by some 1e-6 of their terms.
TEST_P(GradientsTest, WeightsAndGradientsAreThoseOfThePlainLoop) {
  int64_t value_depth = 1;
  for (const ScoreShape& shape : score_shapes(kernels())) {
    SCOPED_TRACE(shape.text());
    GradientCase c(kernels(), shape, value_depth += 7);
    kernels().gradients(c.group);
    for (int64_t i = 0; i < shape.rows; ++i) {
      for (int64_t j = 0; j < shape.keys; ++j) {
        const size_t at = i * kScoreStride + j;
        if (c.scores.masked(i, j)) {
          ASSERT_TRUE(is_mark(c.weights(at)) && is_mark(c.gradients(at))) << i << " " << j;
          continue;
        }
        const double weight = c.weight(i, j), dweight = c.dweight(i, j), gradient = weight * (dweight - c.delta[i]);
        const double bound = 1e-5 * weight * (10 + std::abs(dweight) + value_depth);
        ASSERT_NEAR(c.weights(at), weight * c.scores.keep(i, j), bound) << i << " " << j;
        ASSERT_NEAR(c.gradients(at), gradient * c.scores.softcap_slope(i, j), bound) << i << " " << j;
        if (shape.softcap == 0) continue;
        ASSERT_NEAR(c.bias_gradients(at), gradient, bound) << i << " " << j;
      }
    }
  }
}

TEST_P(GradientsTest, ATileThatNoRowSeesIsFilledWithMarksAsWideAsAsked) {
  GradientCase c(kernels(), {kernels().row_group, 45, 3}, 2);
  const std::vector<KeyInterval> none(static_cast<size_t>(kernels().row_group));
  c.group.score.live = none.data();
  kernels().gradients(c.group);
  for (int64_t i = 0; i < kernels().row_group; ++i) {
    for (int64_t j = 0; j < 45; ++j) {
      ASSERT_TRUE(is_mark(c.weights(i * kScoreStride + j)) && is_mark(c.gradients(i * kScoreStride + j)));
    }
    EXPECT_EQ(c.weights(i * kScoreStride + 45), kUntouched);
  }
}

TEST_P(GradientsTest, AccumulateIsOneAscendingChainAnElement) {
  for (const int64_t rows : {int64_t{1}, kernels().row_group, 2 * kernels().row_group + 1}) {
    for (const int64_t vectors : {1, 4, 5, 7}) {
      for (const int64_t steps : {0, 1, 37}) {
        for (const bool transposed : {false, true}) {
          const int64_t columns = vectors * kernels().lanes;
          const auto a = random_floats(rows * (steps + 1), 1), b = random_floats((steps + 1) * columns, 2);
          std::vector<float> found = random_floats(rows * columns, 3), expected = found;
          Accumulation work{rows, steps, columns, a.data(), transposed ? 1 : steps, transposed ? rows : 1};
          work.b = b.data(), work.b_stride = columns;
          work.c = found.data(), work.c_stride = columns;
          work.ahead = {b.data(), 4, columns * 4, transposed ? 1 : 0};
          kernels().accumulate(work);
          accumulate_plainly(work, expected.data());
          ASSERT_EQ(found, expected) << rows << " rows, " << steps << " steps, " << columns << " columns";
        }
      }
    }
  }
}

TEST_P(GradientsTest, AccumulateSkipsMarkedTermsWhereverTheyStand) {
  const int64_t rows = kernels().row_group + 2, steps = 9, columns = 5 * kernels().lanes;
  auto a = random_floats(rows * steps, 1), b = random_floats(steps * columns, 2);
  std::vector<float> found(static_cast<size_t>(rows * columns)), expected = found;
  std::fill_n(&b[4 * columns], columns, kNaN);
  for (int64_t i = 0; i < rows; ++i) a[i * steps + 4] = -0.0f;
  a[2 * steps + 1] = -0.0f;
  Accumulation work{rows, steps, columns, a.data(), steps, 1, b.data(), columns, found.data(), columns, true};
  kernels().accumulate(work);
  accumulate_plainly(work, expected.data());
  EXPECT_EQ(found, expected);
  a[3 * steps + 4] = 0;  // not marked: 0 x NaN is seen, in its row alone
  kernels().accumulate(work);
  for (int64_t i = 0; i < rows; ++i) EXPECT_EQ(std::isnan(found[i * columns]), i == 3) << i;
}

INSTANTIATE_TEST_SUITE_P(Isa, GradientsTest, ::testing::Range<size_t>(0, all_kernels().size()),
                         [](const auto& test) { return all_kernels()[test.param].isa; });

}  // namespace
}  // namespace limelight::testing
