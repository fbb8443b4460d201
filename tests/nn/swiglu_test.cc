// Laws of SwiGLU.
#include "limelight/nn.h"
#include "nn/reference.h"
#include "tests/nn/matrices.h"

namespace limelight {
namespace {

using namespace limelight::testing;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor<float, 2> apply(TensorView<const float, 2> gate, TensorView<const float, 2> up, const Run& run = {}) {
  Tensor<float, 2> y(gate.sizes);
  swiglu(gate, up, y, run);
  return y;
}

Tensor<float, 2> filled(const std::array<int64_t, 2>& sizes, float value) {
  Tensor<float, 2> t(sizes);
  std::fill_n(t.data(), t.count(), value);
  return t;
}

// Every exponent from the smallest subnormal to the largest number, and a fine grid where the curve bends; both signs.
Tensor<float, 2> sweep() {
  std::vector<float> x;
  for (float v = 0; v < 100; v += 1.0f / 512) x.push_back(v);
  for (uint32_t bits = 0; bits < 0x7f800000; bits += 0x4001) x.push_back(std::bit_cast<float>(bits));
  Tensor<float, 2> t({2, static_cast<int64_t>(x.size())});
  for (size_t i = 0; i < x.size(); ++i) t(0, i) = x[i], t(1, i) = -x[i];
  return t;
}

TEST(SwiGlu, ErrorIsBoundedEverywhere) {
  // In units of max(1, |x|), as GELU's.
  constexpr double kBound = 1.5e-7;
  const auto x = sweep();
  const auto ones = filled(x.sizes(), 1);
  under_every_isa([&] {
    const auto y = apply(x, ones);
    double worst = 0;
    for (int64_t i = 0; i < x.count(); ++i) {
      const double exact = detail::reference::silu<double>(x.data()[i]);
      const double error = std::abs(y.data()[i] - exact) / std::max(1.0, std::abs(double(x.data()[i])));
      ASSERT_LE(error, kBound) << "x " << x.data()[i];
      worst = std::max(worst, error);
    }
    RecordProperty("worst", std::to_string(worst * 1e9) + "e-9");
  });
}

TEST(SwiGlu, IsTheGateTimesTheOther) {
  const auto gate = random_matrix(3, 67, 1), up = random_matrix(3, 67, 2);
  under_every_isa([&] {
    const auto silu = apply(gate, filled({3, 67}, 1)), y = apply(gate, up);
    for (int64_t i = 0; i < y.count(); ++i) EXPECT_EQ(y.data()[i], silu.data()[i] * up.data()[i]);
  });
}

TEST(SwiGlu, LimitsSignsAndNan) {
  const float in[] = {kInfinity, -kInfinity, 1e30f, -1e30f, 0.0f, kNan, -89.0f};
  const auto ones = filled({1, 7}, 1);
  under_every_isa([&] {
    const auto y = apply({in, {1, 7}, {7, 1}}, ones);
    EXPECT_EQ(y(0, 0), kInfinity);
    EXPECT_EQ(y(0, 1), 0);
    EXPECT_EQ(y(0, 2), 1e30f);
    EXPECT_EQ(y(0, 3), 0);
    EXPECT_EQ(y(0, 4), 0);
    EXPECT_TRUE(std::isnan(y(0, 5)));
    EXPECT_EQ(y(0, 6), 0);
    EXPECT_TRUE(std::isnan(apply(ones, filled({1, 7}, kNan))(0, 3)));
  });
}

TEST(SwiGlu, SameBitsForAnElementWhereverItLies) {
  const auto gate = random_matrix(1, 100, 1), up = random_matrix(1, 100, 2);
  under_every_isa([&] {
    const auto expected = apply(gate, up);
    for (int64_t begin = 0; begin < 20; ++begin) {
      for (const int64_t count : {0, 1, 3, 15, 16, 17, 63, 80}) {
        expect_same_bits(apply({&gate(0, begin), {1, count}, {100, 1}}, {&up(0, begin), {1, count}, {100, 1}}),
                         {&expected(0, begin), {1, count}, {100, 1}});
      }
    }
  });
}

TEST(SwiGlu, SameBitsForAnyThreadCount) {
  const auto gate = random_matrix(300, 131, 1), up = random_matrix(300, 131, 2);
  const auto expected = apply(gate, up, {.threads = 1});
  for (const int threads : {0, 2, 3, 7}) expect_same_bits(apply(gate, up, {.threads = threads}), expected);
}

TEST(SwiGlu, InPlaceSideBySideChangesNoBit) {
  const auto gate = random_matrix(6, 37, 1), up = random_matrix(6, 37, 2);
  under_every_isa([&] {
    Tensor<float, 2> wide({6, 75});
    for (int64_t t = 0; t < 6; ++t) {
      std::copy_n(&gate(t, 0), 37, &wide(t, 0));
      std::copy_n(&up(t, 0), 37, &wide(t, 37));
    }
    const TensorView<float, 2> left{&wide(0, 0), {6, 37}, {75, 1}}, right{&wide(0, 37), {6, 37}, {75, 1}};
    swiglu(left, right, left);
    expect_same_bits(left, apply(gate, up));
    expect_same_bits(right, up);
    for (int64_t t = 0; t < 6; ++t) EXPECT_EQ(wide(t, 74), 0) << "written behind a row";
  });
}

TEST(SwiGlu, TouchesNothingBehindItsArguments) {
  for (const int64_t count : {1, 3, 15, 16, 67}) {
    const GuardedFloats gate(random_matrix(1, count, 1)), up(random_matrix(1, count, 2)), y(count);
    under_every_isa([&] {
      swiglu({gate.data(), {1, count}, {count, 1}}, {up.data(), {1, count}, {count, 1}},
             {y.data(), {1, count}, {count, 1}});
    });
    EXPECT_NE(y.data()[count - 1], 0);
  }
}

TEST(SwiGlu, RefusesWhatDoesNotFit) {
  const auto x = random_matrix(2, 4, 1), other = random_matrix(2, 5, 1);
  Tensor<float, 2> y({2, 4}), wide({2, 5});
  expect_refused([&] { swiglu(x, other, y); }, "[swiglu] up: expected [2, 4], found [2, 5]");
  expect_refused([&] { swiglu(x, x, wide); }, "[swiglu] y: expected [2, 4], found [2, 5]");
  expect_refused(
      [&] {
        swiglu({x.data(), {2, 2}, {4, 2}}, x, y);
      },
      "[swiglu] gate: expected a last axis of stride 1, found strides [4, 2]");
}

}  // namespace
}  // namespace limelight
