// Laws of RMS norm.
#include "limelight/nn.h"
#include "nn/reference.h"
#include "tests/nn/matrices.h"

namespace limelight {
namespace {

using namespace limelight::testing;

constexpr float kEpsilon = 1e-5f;

struct Problem {
  Tensor<float, 2> x;
  Tensor<float, 1> gamma;
};

Problem problem(int64_t rows, int64_t channels) {
  return {random_matrix(rows, channels, 1), random_vector(channels, 2)};
}

Tensor<float, 2> apply(const Problem& p, const Run& run = {}) {
  Tensor<float, 2> y(p.x.sizes());
  rms_norm(p.x, p.gamma, kEpsilon, y, run);
  return y;
}

TEST(RmsNorm, MatchesTheReferenceForAnySize) {
  const auto expect_reference = [](const Problem& p) {
    Tensor<float, 2> naive(p.x.sizes());
    Tensor<double, 2> exact(p.x.sizes());
    detail::reference::rms_norm<float>(p.x, p.gamma, kEpsilon, naive);
    detail::reference::rms_norm<double>(p.x, p.gamma, kEpsilon, exact);
    under_every_isa([&] { expect_twice_naive(apply(p), naive, exact); });
  };
  for (const int64_t channels : kSizes) {
    SCOPED_TRACE(channels);
    for (const int64_t rows : {0, 1, 5}) expect_reference(problem(rows, channels));
  }
  expect_reference(problem(3, 4099));
}

TEST(RmsNorm, ARowsScaleFallsOut) {
  const Problem p = problem(2, 130);
  Problem scaled = problem(2, 130);
  for (int64_t i = 0; i < scaled.x.count(); ++i) scaled.x.data()[i] *= 1024;
  under_every_isa([&] {
    Tensor<float, 2> small(p.x.sizes()), large(p.x.sizes());
    rms_norm(p.x, p.gamma, 0, small);
    rms_norm(scaled.x, scaled.gamma, 0, large);
    expect_same_bits(small, large);
  });
}

TEST(RmsNorm, ARowOfZerosStaysZero) {
  Problem p = problem(2, 67);
  std::fill_n(p.x.data(), p.x.count(), 0.0f);
  under_every_isa([&] {
    const auto y = apply(p);
    for (int64_t i = 0; i < y.count(); ++i) EXPECT_EQ(y.data()[i], 0);
  });
}

TEST(RmsNorm, SameBitsForAnyThreadCount) {
  const Problem p = problem(300, 130);
  const auto expected = apply(p, {.threads = 1});
  for (const int threads : {0, 2, 3, 7}) expect_same_bits(apply(p, {.threads = threads}), expected);
}

TEST(RmsNorm, SameBitsForARowWhereverItLies) {
  for (const int64_t channels : {5, 64, 67, 130}) {
    const Problem p = problem(3, channels);
    under_every_isa([&] {
      const auto expected = apply(p);
      for (int64_t shift = 0; shift < 17; ++shift) {
        Tensor<float, 1> memory({shift + channels});
        float* row = memory.data() + shift;
        std::copy_n(&p.x(1, 0), channels, row);
        rms_norm({row, {1, channels}, {0, 1}}, p.gamma, kEpsilon, {row, {1, channels}, {0, 1}});
        expect_same_bits({row, {1, channels}, {0, 1}}, {&expected(1, 0), {1, channels}, {0, 1}});
      }
    });
  }
}

TEST(RmsNorm, TouchesNothingBehindItsArguments) {
  for (const int64_t channels : {1, 3, 15, 16, 67}) {
    const Problem p = problem(3, channels);
    const GuardedFloats x(p.x), gamma(p.gamma), y(3 * channels);
    under_every_isa([&] {
      rms_norm({x.data(), {3, channels}, {channels, 1}}, {gamma.data(), {channels}, {1}}, kEpsilon,
               {y.data(), {3, channels}, {channels, 1}});
      expect_same_bits({y.data(), {3, channels}, {channels, 1}}, apply(p));
    });
  }
}

TEST(RmsNorm, NanStaysInItsRow) {
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

TEST(RmsNorm, RefusesWhatDoesNotFit) {
  const Problem p = problem(2, 4);
  Tensor<float, 2> y({2, 4});
  const auto call = [&](TensorView<const float, 1> gamma, float epsilon, TensorView<float, 2> to) {
    rms_norm(p.x, gamma, epsilon, to);
  };
  expect_refused([&] { call(random_vector(3, 1), kEpsilon, y); }, "[rms_norm] gamma: expected [4], found [3]");
  expect_refused(
      [&] {
        call(p.gamma, kEpsilon, {y.data(), {1, 4}, {4, 1}});
      },
      "[rms_norm] y: expected [2, 4], found [1, 4]");
  expect_refused(
      [&] {
        call(p.gamma, kEpsilon, {y.data(), {2, 4}, {0, 1}});
      },
      "[rms_norm] y: expected rows that do not overlap, found strides [0, 1]");
  expect_refused([&] { call(p.gamma, -1, y); }, "[rms_norm] epsilon: expected finite and at least 0, found -1");
  expect_refused([&] { call(p.gamma, std::numeric_limits<float>::quiet_NaN(), y); },
                 "[rms_norm] epsilon: expected finite and at least 0, found nan");
}

}  // namespace
}  // namespace limelight
