// Laws of Linear.
#include "limelight/error.h"
#include "limelight/nn.h"
#include "nn/reference.h"
#include "tests/nn/matrices.h"

namespace limelight {
namespace {

using namespace limelight::testing;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor<float, 2> apply(const Linear& layer, TensorView<const float, 2> x, const Run& run = {}) {
  Tensor<float, 2> y({x.sizes[0], layer.out()});
  layer.forward(x, y, run);
  return y;
}

void expect_reference(int64_t rows, int64_t in, int64_t out) {
  SCOPED_TRACE("T " + std::to_string(rows) + ", in " + std::to_string(in) + ", out " + std::to_string(out));
  const auto x = random_matrix(rows, in, 1);
  const auto weight = random_matrix(out, in, 2);
  const auto bias = random_vector(out, 3);
  Tensor<float, 2> naive({rows, out});
  Tensor<double, 2> exact({rows, out});
  detail::reference::linear<float>(x, weight, bias.view(), naive);
  detail::reference::linear<double>(x, weight, bias.view(), exact);
  under_every_isa([&] { expect_twice_naive(apply(Linear(weight, bias.view()), x), naive, exact); });
}

TEST(Linear, MatchesTheReferenceForAnySize) {
  for (const int64_t in : kSizes) {
    for (const int64_t out : kSizes) {
      for (const int64_t rows : {1, 7}) expect_reference(rows, in, out);
    }
  }
  for (const int64_t rows : {0, 2, 3, 5, 13, 64}) expect_reference(rows, 67, 65);
  expect_reference(65, 384, 384);
}

TEST(Linear, WithoutInputsIsItsBias) {
  const auto bias = random_vector(70, 1);
  under_every_isa([&] {
    const Linear layer(Tensor<float, 2>({70, 0}), bias.view());
    expect_same_bits(apply(layer, Tensor<float, 2>({1, 0})), {bias.data(), {1, 70}, {70, 1}});
  });
}

TEST(Linear, BiasIsOptional) {
  const auto x = random_matrix(5, 33, 1);
  const auto weight = random_matrix(40, 33, 2);
  const Tensor<float, 1> zeros({40});
  under_every_isa([&] { expect_same_bits(apply(Linear(weight), x), apply(Linear(weight, zeros.view()), x)); });
}

TEST(Linear, SameBitsForAnyThreadCount) {
  const auto x = random_matrix(97, 130, 1);
  const Linear layer(random_matrix(330, 130, 2), random_vector(330, 3).view());
  const auto expected = apply(layer, x, {.threads = 1});
  for (const int threads : {0, 2, 3, 7}) expect_same_bits(apply(layer, x, {.threads = threads}), expected);
}

TEST(Linear, SameBitsForARowAloneAndAmongOthers) {
  const auto x = random_matrix(97, 130, 1);
  const auto weight = random_matrix(330, 130, 2);
  under_every_isa([&] {
    const Linear layer(weight);
    const auto all = apply(layer, x);
    for (const int64_t t : {0, 1, 5, 6, 50, 96}) {
      const auto alone = apply(layer, {&x(t, 0), {1, 130}, {130, 1}});
      expect_same_bits(alone, {&all(t, 0), {1, 330}, {330, 1}});
    }
  });
}

TEST(Linear, SameBitsForAnyStrides) {
  const auto x = random_matrix(31, 20, 1);
  const auto weight = random_matrix(70, 20, 2);
  Tensor<float, 2> x_apart({31, 29}), weight_turned({20, 70}), weight_back({70, 20});
  for (int64_t t = 0; t < 31; ++t) std::copy_n(&x(t, 0), 20, &x_apart(30 - t, 3));
  for (int64_t n = 0; n < 70; ++n) {
    for (int64_t c = 0; c < 20; ++c) weight_turned(c, n) = weight_back(69 - n, 19 - c) = weight(n, c);
  }
  under_every_isa([&] {
    const auto expected = apply(Linear(weight), x);
    const TensorView<const float, 2> reversed{&x_apart(30, 3), {31, 20}, {-29, 1}};
    expect_same_bits(apply(Linear(weight), reversed), expected);
    expect_same_bits(apply(Linear({weight_turned.data(), {70, 20}, {1, 70}}), x), expected);
    expect_same_bits(apply(Linear({&weight_back(69, 19), {70, 20}, {-20, -1}}), x), expected);
  });
}

TEST(Linear, AStrideOfZeroRepeatsARow) {
  const auto x = random_matrix(1, 20, 1);
  const Linear layer(random_matrix(9, 20, 2));
  const auto y = apply(layer, {x.data(), {4, 20}, {0, 1}});
  for (int64_t t = 1; t < 4; ++t) expect_same_bits({&y(t, 0), {1, 9}, {9, 1}}, {&y(0, 0), {1, 9}, {9, 1}});
}

TEST(Linear, WritesOnlyItsOutput) {
  const auto x = random_matrix(13, 20, 1);
  const auto weight = random_matrix(70, 20, 2);
  under_every_isa([&] {
    const Linear layer(weight);
    Tensor<float, 2> wide({13, 75});
    std::fill_n(wide.data(), wide.count(), kNan);
    layer.forward(x, {&wide(12, 2), {13, 70}, {-75, 1}});
    const auto expected = apply(layer, x);
    expect_same_bits({&wide(12, 2), {13, 70}, {-75, 1}}, expected);
    for (int64_t t = 0; t < 13; ++t) {
      for (const int64_t c : {0, 1, 72, 73, 74}) EXPECT_TRUE(std::isnan(wide(t, c))) << t << ", " << c;
    }
  });
}

TEST(Linear, TouchesNothingBehindItsArguments) {
  for (const int64_t in : {1, 3, 64, 67}) {
    for (const int64_t out : {1, 15, 64, 131}) {
      const GuardedFloats x(random_matrix(7, in, 1)), weight(random_matrix(out, in, 2)), bias(random_vector(out, 3));
      const GuardedFloats y(7 * out);
      under_every_isa([&] {
        const Linear layer({weight.data(), {out, in}, {in, 1}}, TensorView<const float, 1>{bias.data(), {out}, {1}});
        layer.forward({x.data(), {7, in}, {in, 1}}, {y.data(), {7, out}, {out, 1}});
      });
      EXPECT_TRUE(std::isfinite(y.data()[7 * out - 1]));
    }
  }
}

TEST(Linear, KeepsTheInstructionSetItWasPackedFor) {
  const auto x = random_matrix(9, 40, 1);
  const auto weight = random_matrix(100, 40, 2);
  under_every_isa([&] {
    const Linear layer(weight);
    const auto expected = apply(layer, x);
    under_every_isa([&] { expect_same_bits(apply(layer, x), expected); });
  });
}

TEST(Linear, NanStaysInItsRow) {
  auto x = random_matrix(13, 40, 1);
  const auto weight = random_matrix(70, 40, 2);
  under_every_isa([&] {
    const Linear layer(weight);
    x(4, 7) = 0.5f;
    const auto clean = apply(layer, x);
    x(4, 7) = kNan;
    const auto y = apply(layer, x);
    for (int64_t n = 0; n < 70; ++n) EXPECT_TRUE(std::isnan(y(4, n)));
    expect_same_bits({&y(0, 0), {4, 70}, {70, 1}}, {&clean(0, 0), {4, 70}, {70, 1}});
    expect_same_bits({&y(5, 0), {8, 70}, {70, 1}}, {&clean(5, 0), {8, 70}, {70, 1}});
  });
}

TEST(Linear, CanBeCancelledAndThenUsedAgain) {
  const auto x = random_matrix(200, 200, 1);
  const Linear layer(random_matrix(200, 200, 2));
  for (const int threads : {1, 2}) {
    Tensor<float, 2> y({200, 200});
    EXPECT_THROW(layer.forward(x, y, {.threads = threads, .progress = [](double) { return false; }}), Cancelled);
  }
  expect_same_bits(apply(layer, x, {.threads = 2}), apply(layer, x, {.threads = 1}));
}

TEST(Linear, RefusesWhatDoesNotFit) {
  const auto weight = random_matrix(6, 4, 1);
  const auto x = random_matrix(3, 4, 2);
  Tensor<float, 2> y({3, 6});
  const Linear layer(weight);
  expect_refused([&] { Linear(weight, random_vector(5, 1).view()); }, "[linear] bias: expected [6], found [5]");
  expect_refused(
      [&] {
        Linear({nullptr, {2, 3}, {3, 1}});
      },
      "[linear] weight: expected memory for [2, 3], found a null pointer");
  expect_refused([&] { Linear({x.data(), {-1, 3}, {3, 1}}); }, "[linear] weight: expected [any, any], found [-1, 3]");
  expect_refused([&] { layer.forward(random_matrix(3, 5, 1), y); }, "[linear] x: expected [any, 4], found [3, 5]");
  expect_refused([&] { layer.forward(random_matrix(2, 4, 1), y); }, "[linear] y: expected [2, 6], found [3, 6]");
  expect_refused(
      [&] {
        layer.forward({x.data(), {2, 4}, {1, 3}}, {y.data(), {2, 6}, {6, 1}});
      },
      "[linear] x: expected a last axis of stride 1, found strides [1, 3]");
  expect_refused(
      [&] {
        layer.forward(x, {y.data(), {3, 6}, {5, 1}});
      },
      "[linear] y: expected rows that do not overlap, found strides [5, 1]");
  expect_refused(
      [&] {
        layer.forward(x, {nullptr, {3, 6}, {6, 1}});
      },
      "[linear] y: expected memory for [3, 6], found a null pointer");
  expect_refused([&] { layer.forward(x, y, {.threads = -1}); }, "[run] threads: expected 0 or more, found -1");
}

}  // namespace
}  // namespace limelight
