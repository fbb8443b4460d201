// The reference against numbers worked out by hand, and against laws that every softmax obeys.
#include "attention/reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

Tensor<float, 4> numbers(const std::array<int64_t, 4>& sizes, std::initializer_list<float> values) {
  Tensor<float, 4> tensor(sizes);
  std::copy(values.begin(), values.end(), tensor.data());
  return tensor;
}

// One query 2, keys log 1, log 2, log 5 over 2, so that with scale 1 the scores are log 1, log 2, log 5.
struct Eighths {
  Tensor<float, 4> q = numbers({1, 1, 1, 1}, {2});
  Tensor<float, 4> k = numbers({1, 1, 3, 1}, {0, std::log(2.0f) / 2, std::log(5.0f) / 2});
  Tensor<float, 4> v = numbers({1, 1, 3, 2}, {8, 0, 16, 0, 0, 80});
};

TEST(Reference, WeightsOfLogarithmsAreTheirShares) {
  const Eighths e;
  const auto result = detail::reference_attention<double>(e.q, e.k, e.v, {.scale = 1.0f});
  EXPECT_NEAR(result.weights(0, 0, 0, 0), 1 / 8.0, 1e-7);
  EXPECT_NEAR(result.weights(0, 0, 0, 1), 2 / 8.0, 1e-7);
  EXPECT_NEAR(result.weights(0, 0, 0, 2), 5 / 8.0, 1e-7);
  EXPECT_NEAR(result.lse(0, 0, 0), std::log(8.0), 1e-7);
  EXPECT_NEAR(result.out(0, 0, 0, 0), 5, 1e-6);
  EXPECT_NEAR(result.out(0, 0, 0, 1), 50, 1e-5);
}

TEST(Reference, LensReadsOffTheShares) {
  const Eighths e;
  const auto result = detail::reference_attention<double>(e.q, e.k, e.v, {.scale = 1.0f});
  const auto lens = detail::reference_lens(result, 2, 1);
  EXPECT_EQ(lens.top_index(0, 0, 0, 0), 2);
  EXPECT_EQ(lens.top_index(0, 0, 0, 1), 1);
  EXPECT_NEAR(lens.top_weight(0, 0, 0, 1), 0.25, 1e-7);
  EXPECT_NEAR(lens.received(0, 0, 2), 0.625, 1e-7);
  EXPECT_NEAR(lens.entropy(0, 0, 0), std::log(8.0) - 2 / 8.0 * std::log(2.0) - 5 / 8.0 * std::log(5.0), 1e-7);
  EXPECT_NEAR(lens.heatmap_sum(0, 0, 0, 0), 1, 1e-12);
  EXPECT_NEAR(lens.heatmap_max(0, 0, 0, 0), 0.625, 1e-7);
}

TEST(Reference, SoftcapBoundsTheScoreBeforeTheBias) {
  const Eighths e;
  const Tensor<float, 4> bias = numbers({1, 1, 1, 3}, {0, 0, 3});
  const auto result = detail::reference_attention<double>(e.q, e.k, e.v, {.scale = 1.0f, .softcap = 1, .bias = bias});
  const double s1 = std::tanh(std::log(2.0)), s2 = std::tanh(std::log(5.0)) + 3;
  EXPECT_NEAR(result.lse(0, 0, 0), std::log(1 + std::exp(s1) + std::exp(s2)), 1e-6);
}

TEST(Reference, BlockedIsMaskedOrMinusInfinity) {
  const Eighths e;
  const Tensor<float, 4> bias = numbers({1, 1, 1, 3}, {-kInfinity, 0, 0});
  Tensor<uint8_t, 4> mask({1, 1, 1, 3});
  mask(0, 0, 0, 0) = mask(0, 0, 0, 1) = 1;
  const auto result = detail::reference_attention<double>(e.q, e.k, e.v, {.bias = bias, .mask = mask});
  EXPECT_EQ(result.blocked(0, 0, 0, 0), 1);
  EXPECT_EQ(result.blocked(0, 0, 0, 1), 0);
  EXPECT_EQ(result.blocked(0, 0, 0, 2), 1);
  EXPECT_EQ(result.weights(0, 0, 0, 1), 1);
  EXPECT_EQ(result.out(0, 0, 0, 0), 16);
}

TEST(Reference, RowsAddToOneAndDeadRowsToZero) {
  Problem p = make_problem({.B = 2, .H = 4, .G = 2, .M = 9, .N = 5, .D = 3, .E = 4});
  p.causal = Causal::kBottomRight;
  const auto result = detail::reference_attention<double>(p.q, p.k, p.v, p.options());
  for (int64_t i = 0; i < 9; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < 5; ++j) sum += result.weights(1, 3, i, j);
    EXPECT_NEAR(sum, i < 4 ? 0 : 1, 1e-14) << i;
    EXPECT_EQ(std::isinf(result.lse(1, 3, i)), i < 4) << i;
  }
}

}  // namespace
}  // namespace limelight::testing
