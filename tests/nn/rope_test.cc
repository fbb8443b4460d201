// Laws of rotary positions.
#include "limelight/nn.h"
#include "nn/reference.h"
#include "tests/nn/matrices.h"

namespace limelight {
namespace {

using namespace limelight::testing;

Tensor<float, 2> apply(TensorView<const float, 2> x, int64_t depth, int64_t first, const Run& run = {}) {
  Tensor<float, 2> y(x.sizes);
  rope(x, rope_table(rope_frequencies(depth, 10000), first, x.sizes[0]), y, run);
  return y;
}

double dot(TensorView<const float, 2> a, int64_t s, TensorView<const float, 2> b, int64_t t) {
  double sum = 0;
  for (int64_t c = 0; c < a.sizes[1]; ++c) sum += static_cast<double>(a(s, c)) * static_cast<double>(b(t, c));
  return sum;
}

TEST(Rope, MatchesTheReferenceForAnySizeAndPosition) {
  for (const int64_t depth : {2, 6, 8, 24, 30, 64, 66, 128}) {
    const auto frequencies = rope_frequencies(depth, 10000);
    for (const int64_t first : {0, 7, 100000}) {
      SCOPED_TRACE(std::to_string(depth) + " at " + std::to_string(first));
      const auto x = random_matrix(5, 3 * depth, 1);
      Tensor<float, 2> naive(x.sizes());
      Tensor<double, 2> exact(x.sizes());
      detail::reference::rope<float>(x, frequencies, first, naive);
      detail::reference::rope<double>(x, frequencies, first, exact);
      under_every_isa([&] { expect_twice_naive(apply(x, depth, first), naive, exact); });
    }
  }
}

TEST(Rope, FrequenciesFallFromOne) {
  const auto frequencies = rope_frequencies(8, 10000);
  ASSERT_EQ(frequencies.size(), 4u);
  for (int c = 0; c < 4; ++c) EXPECT_NEAR(frequencies[static_cast<size_t>(c)], std::pow(10.0, -c), 1e-12);
  EXPECT_TRUE(rope_frequencies(0, 10000).empty());
}

TEST(Rope, PositionZeroChangesNothing) {
  const auto x = random_matrix(1, 48, 1);
  under_every_isa([&] { expect_same_bits(apply(x, 24, 0), x); });
}

TEST(Rope, ProductsDependOnTheDistanceAlone) {
  const auto q = random_matrix(1, 64, 1), k = random_matrix(1, 64, 2);
  under_every_isa([&] {
    const double near = dot(apply(q, 64, 9), 0, apply(k, 64, 4), 0);
    const double far = dot(apply(q, 64, 1009), 0, apply(k, 64, 1004), 0);
    EXPECT_NEAR(near, far, 1e-5);
    EXPECT_GT(std::abs(near - dot(q, 0, k, 0)), 1e-3);
  });
}

TEST(Rope, SameBitsForAnyCutOfThePositions) {
  const auto x = random_matrix(40, 48, 1);
  under_every_isa([&] {
    const auto expected = apply(x, 24, 3);
    for (int64_t t = 0; t < 40; ++t) {
      expect_same_bits(apply({&x(t, 0), {1, 48}, {48, 1}}, 24, 3 + t), {&expected(t, 0), {1, 48}, {48, 1}});
    }
  });
}

TEST(Rope, SameBitsForAnyThreadCount) {
  const auto x = random_matrix(300, 192, 1);
  const auto expected = apply(x, 64, 0, {.threads = 1});
  for (const int threads : {0, 2, 3, 7}) expect_same_bits(apply(x, 64, 0, {.threads = threads}), expected);
}

TEST(Rope, InPlaceAndStridesChangeNoBit) {
  const auto x = random_matrix(6, 48, 1);
  under_every_isa([&] {
    Tensor<float, 2> wide({6, 60});
    for (int64_t t = 0; t < 6; ++t) std::copy_n(&x(t, 0), 48, &wide(t, 5));
    const TensorView<float, 2> inside{&wide(0, 5), {6, 48}, {60, 1}};
    rope(inside, rope_table(rope_frequencies(24, 10000), 2, 6), inside);
    expect_same_bits(inside, apply(x, 24, 2));
    for (int64_t t = 0; t < 6; ++t) {
      EXPECT_EQ(wide(t, 4), 0) << "written before a row";
      EXPECT_EQ(wide(t, 53), 0) << "written behind a row";
    }
  });
}

TEST(Rope, TouchesNothingBehindItsArguments) {
  for (const int64_t depth : {2, 6, 24, 34}) {
    const auto matrix = random_matrix(1, depth, 1);
    const GuardedFloats x(matrix), y(depth);
    under_every_isa([&] {
      rope({x.data(), {1, depth}, {depth, 1}}, rope_table(rope_frequencies(depth, 10000), 1, 1),
           {y.data(), {1, depth}, {depth, 1}});
      expect_same_bits({y.data(), {1, depth}, {depth, 1}}, apply(matrix, depth, 1));
    });
  }
}

TEST(Rope, RefusesWhatDoesNotFit) {
  const auto x = random_matrix(2, 12, 1);
  Tensor<float, 2> y({2, 12});
  const auto call = [&](int64_t depth, int64_t tokens) {
    rope(x, rope_table(rope_frequencies(depth, 10000), 0, tokens), y);
  };
  expect_refused([&] { call(4, 3); }, "[rope] table.cosines: expected [2, any], found [3, 2]");
  expect_refused([&] { call(8, 2); }, "[rope] x: expected rows of whole heads of 8, found 12");
  expect_refused([&] { call(0, 2); }, "[rope] x: expected rows of whole heads of 0, found 12");
  expect_refused([&] { call(3, 2); }, "[rope] depth: expected an even number, found 3");
  expect_refused([&] { rope_frequencies(4, 0); }, "[rope] base: expected finite and above 0, found 0");
}

}  // namespace
}  // namespace limelight
