// Laws of GELU, in both forms.
#include <bit>

#include "limelight/nn.h"
#include "nn/reference.h"
#include "tests/nn/matrices.h"

namespace limelight {
namespace {

using namespace limelight::testing;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Gelu kForms[] = {Gelu::kErf, Gelu::kTanh};

Tensor<float, 2> apply(TensorView<const float, 2> x, Gelu form, const Run& run = {}) {
  Tensor<float, 2> y(x.sizes);
  gelu(x, form, y, run);
  return y;
}

// Every exponent from the smallest subnormal to the largest number, and a fine grid where the curve bends; both signs.
Tensor<float, 2> sweep() {
  std::vector<float> x;
  for (float v = 0; v < 16; v += 1.0f / 4096) x.push_back(v);
  for (uint32_t bits = 0; bits < 0x7f800000; bits += 0x4001) x.push_back(std::bit_cast<float>(bits));
  x.push_back(std::numeric_limits<float>::max());
  Tensor<float, 2> t({2, static_cast<int64_t>(x.size())});
  for (size_t i = 0; i < x.size(); ++i) t(0, i) = x[i], t(1, i) = -x[i];
  return t;
}

TEST(Gelu, ErrorIsBoundedEverywhere) {
  // In units of max(1, |x|). Measured at most 8.9e-8 with fused multiply-adds, 1.1e-7 without; the naive formulas in
  // float: 1.0e-7 and 1.4e-7.
  constexpr double kBound = 1.5e-7;
  const auto x = sweep();
  for (const Gelu form : kForms) {
    Tensor<double, 2> exact(x.sizes());
    for (int64_t i = 0; i < x.count(); ++i) exact.data()[i] = detail::reference::gelu<double>(x.data()[i], form);
    under_every_isa([&] {
      const auto y = apply(x, form);
      double worst = 0;
      for (int64_t i = 0; i < x.count(); ++i) {
        const double scale = std::max(1.0, std::abs(double(x.data()[i])));
        const double error = std::abs(y.data()[i] - exact.data()[i]) / scale;
        ASSERT_LE(error, kBound) << "x " << x.data()[i];
        worst = std::max(worst, error);
      }
      RecordProperty("worst", std::to_string(worst * 1e9) + "e-9");
    });
  }
}

TEST(Gelu, SmallNumbersAreHalved) {
  const Tensor<float, 2> x = [] {
    Tensor<float, 2> t({1, 5});
    const float values[] = {1e-8f, -1e-8f, 1e-30f, -1e-30f, 0x1p-140f};
    std::copy_n(values, 5, t.data());
    return t;
  }();
  for (const Gelu form : kForms) {
    under_every_isa([&] {
      const auto y = apply(x, form);
      for (int64_t i = 0; i < 5; ++i) EXPECT_FLOAT_EQ(y(0, i), x(0, i) / 2);
    });
  }
}

TEST(Gelu, LimitsSignsAndNan) {
  const float in[] = {kInfinity, -kInfinity, 1e30f, -1e30f, 0.0f, -0.0f, std::numeric_limits<float>::quiet_NaN()};
  for (const Gelu form : kForms) {
    under_every_isa([&] {
      const auto y = apply({in, {1, 7}, {7, 1}}, form);
      EXPECT_EQ(y(0, 0), kInfinity);
      EXPECT_EQ(y(0, 1), 0.0f);
      EXPECT_EQ(y(0, 2), 1e30f);
      EXPECT_EQ(y(0, 3), 0.0f);
      EXPECT_EQ(y(0, 4), 0.0f);
      EXPECT_FALSE(std::signbit(y(0, 4)));
      EXPECT_EQ(y(0, 5), 0.0f);
      EXPECT_TRUE(std::signbit(y(0, 5)));
      EXPECT_TRUE(std::isnan(y(0, 6)));
    });
  }
}

TEST(Gelu, FormsDifferWhereTheyShould) {
  const float x = -2.7f;
  under_every_isa([&] {
    const auto erf = apply({&x, {1, 1}, {1, 1}}, Gelu::kErf);
    const auto tanh = apply({&x, {1, 1}, {1, 1}}, Gelu::kTanh);
    EXPECT_NEAR(std::abs(erf(0, 0) - tanh(0, 0)), 4.73e-4, 1e-6);
  });
}

TEST(Gelu, SameBitsForAnElementWhereverItLies) {
  const auto x = random_matrix(1, 100, 1);
  for (const Gelu form : kForms) {
    under_every_isa([&] {
      const auto expected = apply(x, form);
      for (int64_t begin = 0; begin < 20; ++begin) {
        for (const int64_t count : {0, 1, 3, 15, 16, 17, 63, 80}) {
          expect_same_bits(apply({&x(0, begin), {1, count}, {100, 1}}, form),
                           {&expected(0, begin), {1, count}, {100, 1}});
        }
      }
    });
  }
}

TEST(Gelu, SameBitsForAnyThreadCount) {
  const auto x = random_matrix(300, 131, 1);
  const auto expected = apply(x, Gelu::kErf, {.threads = 1});
  for (const int threads : {0, 2, 3, 7}) expect_same_bits(apply(x, Gelu::kErf, {.threads = threads}), expected);
}

TEST(Gelu, StridesAndInPlaceChangeNoBit) {
  const auto x = random_matrix(6, 37, 1);
  for (const Gelu form : kForms) {
    under_every_isa([&] {
      Tensor<float, 2> wide({6, 50});
      for (int64_t t = 0; t < 6; ++t) std::copy_n(&x(t, 0), 37, &wide(5 - t, 4));
      const TensorView<float, 2> reversed{&wide(5, 4), {6, 37}, {-50, 1}};
      gelu(reversed, form, reversed);
      expect_same_bits(reversed, apply(x, form));
      for (int64_t t = 0; t < 6; ++t) EXPECT_EQ(wide(t, 41), 0) << "written behind a row";
    });
  }
}

TEST(Gelu, TouchesNothingBehindItsArguments) {
  for (const int64_t count : {1, 3, 15, 16, 67}) {
    const GuardedFloats x(random_matrix(1, count, 1)), y(count);
    for (const Gelu form : kForms) {
      under_every_isa([&] { gelu({x.data(), {1, count}, {count, 1}}, form, {y.data(), {1, count}, {count, 1}}); });
    }
    EXPECT_NE(y.data()[count - 1], 0);
  }
}

TEST(Gelu, NothingIsFine) {
  for (const auto& sizes : {std::array<int64_t, 2>{0, 5}, {5, 0}, {0, 0}}) apply(Tensor<float, 2>(sizes), Gelu::kErf);
}

TEST(Gelu, RefusesWhatDoesNotFit) {
  const auto x = random_matrix(2, 4, 1);
  Tensor<float, 2> y({2, 5});
  expect_refused([&] { gelu(x, Gelu::kErf, y); }, "[gelu] y: expected [2, 4], found [2, 5]");
  expect_refused(
      [&] {
        gelu({x.data(), {2, 2}, {4, 2}}, Gelu::kErf, {y.data(), {2, 2}, {2, 1}});
      },
      "[gelu] x: expected a last axis of stride 1, found strides [4, 2]");
  expect_refused(
      [&] {
        gelu(x, Gelu::kErf, {y.data(), {2, 4}, {3, 1}});
      },
      "[gelu] y: expected rows that do not overlap, found strides [3, 1]");
}

}  // namespace
}  // namespace limelight
