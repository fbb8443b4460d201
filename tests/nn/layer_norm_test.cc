// Laws of layer norm.
#include "limelight/nn.h"
#include "nn/reference.h"
#include "tests/nn/matrices.h"

namespace limelight {
namespace {

using namespace limelight::testing;

constexpr float kEpsilon = 1e-5f;

struct Problem {
  Tensor<float, 2> x;
  Tensor<float, 1> gamma, beta;
};

Problem problem(int64_t rows, int64_t channels) {
  return {random_matrix(rows, channels, 1), random_vector(channels, 2), random_vector(channels, 3)};
}

Tensor<float, 2> apply(const Problem& p, const Run& run = {}) {
  Tensor<float, 2> y(p.x.sizes());
  layer_norm(p.x, p.gamma, p.beta, kEpsilon, y, run);
  return y;
}

void expect_reference(const Problem& p) {
  Tensor<float, 2> naive(p.x.sizes());
  Tensor<double, 2> exact(p.x.sizes());
  detail::reference::layer_norm<float>(p.x, p.gamma, p.beta, kEpsilon, naive);
  detail::reference::layer_norm<double>(p.x, p.gamma, p.beta, kEpsilon, exact);
  under_every_isa([&] { expect_twice_naive(apply(p), naive, exact); });
}

TEST(LayerNorm, MatchesTheReferenceForAnySize) {
  for (const int64_t channels : kSizes) {
    SCOPED_TRACE(channels);
    for (const int64_t rows : {0, 1, 5}) expect_reference(problem(rows, channels));
  }
  expect_reference(problem(3, 4099));
}

TEST(LayerNorm, AFarMeanDoesNotEatTheVariance) {
  Problem p = problem(4, 384);
  for (int64_t i = 0; i < p.x.count(); ++i) p.x.data()[i] += 1000.0f;
  expect_reference(p);
}

TEST(LayerNorm, RowsHaveMeanZeroAndVarianceOne) {
  Problem p = problem(3, 384);
  std::fill_n(p.gamma.data(), 384, 1.0f);
  std::fill_n(p.beta.data(), 384, 0.0f);
  under_every_isa([&] {
    const auto y = apply(p);
    for (int64_t t = 0; t < 3; ++t) {
      double sum = 0, squares = 0;
      for (int64_t c = 0; c < 384; ++c) {
        sum += y(t, c);
        squares += double(y(t, c)) * y(t, c);
      }
      EXPECT_NEAR(sum / 384, 0, 1e-6);
      EXPECT_NEAR(squares / 384, 1, 1e-4);
    }
  });
}

TEST(LayerNorm, AConstantRowIsBeta) {
  Problem p = problem(2, 67);
  std::fill_n(p.x.data(), p.x.count(), 0.75f);
  under_every_isa([&] {
    const auto y = apply(p);
    for (int64_t c = 0; c < 67; ++c) EXPECT_NEAR(y(1, c), p.beta(c), 1e-4);
  });
}

TEST(LayerNorm, SameBitsForAnyThreadCount) {
  const Problem p = problem(300, 130);
  const auto expected = apply(p, {.threads = 1});
  for (const int threads : {0, 2, 3, 7}) expect_same_bits(apply(p, {.threads = threads}), expected);
}

TEST(LayerNorm, SameBitsForARowWhereverItLies) {
  for (const int64_t channels : {5, 64, 67, 130}) {
    const Problem p = problem(3, channels);
    under_every_isa([&] {
      const auto expected = apply(p);
      for (int64_t shift = 0; shift < 17; ++shift) {
        Tensor<float, 1> memory({shift + channels});
        float* row = memory.data() + shift;
        std::copy_n(&p.x(1, 0), channels, row);
        layer_norm({row, {1, channels}, {0, 1}}, p.gamma, p.beta, kEpsilon, {row, {1, channels}, {0, 1}});
        expect_same_bits({row, {1, channels}, {0, 1}}, {&expected(1, 0), {1, channels}, {0, 1}});
      }
    });
  }
}

TEST(LayerNorm, StridesAndInPlaceChangeNoBit) {
  const Problem p = problem(6, 67);
  under_every_isa([&] {
    const auto expected = apply(p);
    Tensor<float, 2> wide({6, 80});
    for (int64_t t = 0; t < 6; ++t) std::copy_n(&p.x(t, 0), 67, &wide(5 - t, 9));
    const TensorView<float, 2> reversed{&wide(5, 9), {6, 67}, {-80, 1}};
    layer_norm(reversed, p.gamma, p.beta, kEpsilon, reversed);
    expect_same_bits(reversed, expected);
    for (int64_t t = 0; t < 6; ++t) EXPECT_EQ(wide(t, 8), 0) << "written before a row";
    for (int64_t t = 0; t < 6; ++t) EXPECT_EQ(wide(t, 76), 0) << "written behind a row";
  });
}

TEST(LayerNorm, TouchesNothingBehindItsArguments) {
  for (const int64_t channels : {1, 3, 15, 16, 67}) {
    const Problem p = problem(3, channels);
    const GuardedFloats x(p.x), gamma(p.gamma), beta(p.beta), y(3 * channels);
    under_every_isa([&] {
      layer_norm({x.data(), {3, channels}, {channels, 1}}, {gamma.data(), {channels}, {1}},
                 {beta.data(), {channels}, {1}}, kEpsilon, {y.data(), {3, channels}, {channels, 1}});
      expect_same_bits({y.data(), {3, channels}, {channels, 1}}, apply(p));
    });
  }
}

TEST(LayerNorm, NanStaysInItsRow) {
  Problem p = problem(3, 67);
  under_every_isa([&] {
    p.x(1, 66) = 0;
    const auto clean = apply(p);
    p.x(1, 66) = std::numeric_limits<float>::quiet_NaN();
    const auto y = apply(p);
    for (int64_t c = 0; c < 67; ++c) EXPECT_TRUE(std::isnan(y(1, c)));
    for (const int64_t t : {0, 2}) expect_same_bits({&y(t, 0), {1, 67}, {67, 1}}, {&clean(t, 0), {1, 67}, {67, 1}});
  });
}

TEST(LayerNorm, RefusesWhatDoesNotFit) {
  const Problem p = problem(2, 4);
  Tensor<float, 2> y({2, 4});
  const auto call = [&](TensorView<const float, 1> gamma, TensorView<const float, 1> beta, float epsilon,
                        TensorView<float, 2> to) { layer_norm(p.x, gamma, beta, epsilon, to); };
  const auto three = random_vector(3, 1);
  expect_refused([&] { call(three, p.beta, kEpsilon, y); }, "[layer_norm] gamma: expected [4], found [3]");
  expect_refused([&] { call(p.gamma, three, kEpsilon, y); }, "[layer_norm] beta: expected [4], found [3]");
  expect_refused(
      [&] {
        call({p.gamma.data(), {4}, {0}}, p.beta, kEpsilon, y);
      },
      "[layer_norm] gamma: expected a last axis of stride 1, found strides [0]");
  expect_refused(
      [&] {
        call(p.gamma, p.beta, kEpsilon, {y.data(), {1, 4}, {4, 1}});
      },
      "[layer_norm] y: expected [2, 4], found [1, 4]");
  expect_refused(
      [&] {
        call(p.gamma, p.beta, kEpsilon, {y.data(), {2, 4}, {0, 1}});
      },
      "[layer_norm] y: expected rows that do not overlap, found strides [0, 1]");
  expect_refused([&] { call(p.gamma, p.beta, -1, y); },
                 "[layer_norm] epsilon: expected finite and at least 0, found -1");
  expect_refused([&] { call(p.gamma, p.beta, std::numeric_limits<float>::quiet_NaN(), y); },
                 "[layer_norm] epsilon: expected finite and at least 0, found nan");
}

}  // namespace
}  // namespace limelight
