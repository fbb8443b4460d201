// Laws of the kernels that attention and layers are built from, for every instruction set.
#include "kernels/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "core/rounding.h"

namespace limelight::detail {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class KernelsTest : public testing::TestWithParam<size_t> {
 protected:
  const Kernels& kernels() const { return all_kernels()[GetParam()]; }

  std::vector<float> random(size_t count, uint32_t seed = 1) const {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    for (float& v : values) v = normal(generator);
    return values;
  }

  float exp_of(float x) const {
    float y = 0;
    kernels().weigh_scores(&x, 0.0f, 1.0f, 1, &y);
    return y;
  }
};

TEST_P(KernelsTest, ExpIsWithinItsBoundAndExactlyZeroBelowItsFloor) {
  // The polynomial and its rounding; and what hangs on |x|: n ln 2 with one constant for ln 2, or, with AVX-512, the
  // rounding of x / ln 2, beside a row's largest weight, which is 1, no more than 2.8e-8.
  const double of_x = kernels().isa == "avx512" ? 7.5e-8 : 2.8e-9;
  for (float x = -87.0f; x <= 0; x += 0.00113f) {
    const double expected = std::exp(static_cast<double>(x));
    ASSERT_LE(std::abs(exp_of(x) - expected), (1.8e-7 + of_x * std::abs(x)) * expected) << x;
  }
  EXPECT_EQ(exp_of(0), 1.0f);
  EXPECT_EQ(exp_of(-0.0f), 1.0f);
  for (float x : {-88.0f, -89.0f, -1000.0f, -3e38f, -kInfinity}) EXPECT_EQ(exp_of(x), 0.0f) << x;
  EXPECT_TRUE(std::isnan(exp_of(kNan)));
}

TEST_P(KernelsTest, PackedPanelsHoldTheTransposeForAnyStride) {
  const int64_t panel = kernels().panel;
  for (const int64_t columns : {int64_t{1}, panel - 1, panel, panel + 3, 3 * panel}) {
    for (const int64_t depth : {1, 3, 4, 7, 64}) {
      for (const auto& [column_stride, depth_stride] :
           {std::pair{depth, int64_t{1}}, std::pair{int64_t{1}, columns}, std::pair{2 * depth, int64_t{2}}}) {
        const auto src = random(static_cast<size_t>(2 * columns * depth));
        std::vector<float> dst(static_cast<size_t>((columns + panel - 1) / panel * panel * depth), kNan);
        kernels().pack_panels(src.data(), column_stride, depth_stride, columns, depth, dst.data());
        for (int64_t n = 0; n < (columns + panel - 1) / panel * panel; ++n) {
          for (int64_t k = 0; k < depth; ++k) {
            const float expected = n < columns ? src[static_cast<size_t>(n * column_stride + k * depth_stride)] : 0.0f;
            ASSERT_EQ(dst[static_cast<size_t>(n / panel * panel * depth + k * panel + n % panel)], expected);
          }
        }
      }
    }
  }
}

TEST_P(KernelsTest, ProductIsOneAscendingChainAnElement) {
  const int64_t rows = 13, depth = 37, columns = kernels().panel + 3;
  const auto a = random(static_cast<size_t>(rows * depth), 2), b = random(static_cast<size_t>(columns * depth), 3);
  std::vector<float> panels(static_cast<size_t>(2 * kernels().panel * depth)), c(static_cast<size_t>(rows * columns));
  kernels().pack_panels(b.data(), depth, 1, columns, depth, panels.data());
  kernels().product(a.data(), depth, rows, panels.data(), depth, columns, nullptr, c.data(), columns);
  // Instruction sets with a fused multiply-add round once a step, the others twice.
  const bool fused = kernels().isa == "avx512" || kernels().isa == "avx2";
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t n = 0; n < columns; ++n) {
      float sum = 0;
      for (int64_t k = 0; k < depth; ++k) {
        const float x = a[static_cast<size_t>(i * depth + k)], y = b[static_cast<size_t>(n * depth + k)];
        sum = fused ? std::fma(x, y, sum) : sum + x * y;
      }
      ASSERT_EQ(c[static_cast<size_t>(i * columns + n)], sum) << i << " " << n;
    }
  }
}

TEST_P(KernelsTest, KeyProductsAreTheProductOfPanelsBitForBit) {
  const int64_t rows = 11, most = 2 * kernels().panel + 3;
  for (const int64_t depth : {1, 4, 7, 16, 37}) {
    for (const int64_t stride : {depth, depth + 3}) {
      const auto a = random(static_cast<size_t>(rows * depth), 2), b = random(static_cast<size_t>(most * stride), 3);
      for (const int64_t count : {int64_t{1}, kernels().lanes, kernels().lanes + 1, most}) {
        std::vector<float> panels(static_cast<size_t>(round_up(count, kernels().panel) * depth));
        std::vector<float> expected(static_cast<size_t>(rows * count)), found(expected.size());
        kernels().pack_panels(b.data(), stride, 1, count, depth, panels.data());
        kernels().product(a.data(), depth, rows, panels.data(), depth, count, nullptr, expected.data(), count);
        KeyProduct work{a.data(), rows, depth, b.data(), count, stride, depth, false, found.data(), count};
        work.ahead = {b.data(), stride * 4, depth * 4, count};
        kernels().key_products(work);
        ASSERT_EQ(expected, found) << depth << " deep, " << count << " keys " << stride << " apart";
      }
    }
  }
}

TEST_P(KernelsTest, KeyProductsTakePairsOfBf16AsTheyAre) {
  const int64_t rows = 3, count = kernels().lanes + 1, depth = 24;
  const auto a = random(static_cast<size_t>(rows * depth), 2), b = random(static_cast<size_t>(count * depth), 3);
  std::vector<BFloat16> narrow(b.size());
  std::vector<float> wide(b.size());
  for (size_t n = 0; n < b.size(); ++n) narrow[n] = to_bfloat16(b[n]), wide[n] = to_float(narrow[n]);
  std::vector<float> pairs(b.size() / 2), expected(static_cast<size_t>(rows * count)), found(expected.size());
  std::memcpy(pairs.data(), narrow.data(), narrow.size() * sizeof(BFloat16));
  kernels().key_products({a.data(), rows, depth, wide.data(), count, depth, depth, false, expected.data(), count, {}});
  kernels().key_products(
      {a.data(), rows, depth, pairs.data(), count, depth / 2, depth / 2, true, found.data(), count, {}});
  EXPECT_EQ(expected, found);
}

TEST_P(KernelsTest, RowsOfTheProductDoNotDependOnEachOther) {
  const int64_t rows = 11, depth = 20, columns = 2 * kernels().panel;
  const auto a = random(static_cast<size_t>(rows * depth)), b = random(static_cast<size_t>(columns * depth), 5);
  std::vector<float> panels(b.size()), all(static_cast<size_t>(rows * columns)), one(static_cast<size_t>(columns));
  kernels().pack_panels(b.data(), depth, 1, columns, depth, panels.data());
  kernels().product(a.data(), depth, rows, panels.data(), depth, columns, b.data(), all.data(), columns);
  for (int64_t i = 0; i < rows; ++i) {
    kernels().product(&a[static_cast<size_t>(i * depth)], depth, 1, panels.data(), depth, columns, b.data(), one.data(),
                      columns);
    EXPECT_EQ(std::memcmp(&all[static_cast<size_t>(i * columns)], one.data(), one.size() * sizeof(float)), 0);
  }
}

TEST_P(KernelsTest, AllFiniteFindsOneBadNumberAnywhere) {
  for (const size_t count : {1, 7, 64, 100}) {
    auto values = random(count);
    EXPECT_TRUE(kernels().all_finite(values.data(), static_cast<int64_t>(count)));
    for (size_t n = 0; n < count; ++n) {
      for (const float bad : {kNan, kInfinity, -kInfinity}) {
        const float good = std::exchange(values[n], bad);
        EXPECT_FALSE(kernels().all_finite(values.data(), static_cast<int64_t>(count)));
        values[n] = good;
      }
    }
  }
}

TEST_P(KernelsTest, ScaleMultipliesGivesZeroItsSignAndFindsOneBadNumberAnywhere) {
  for (const size_t count : {1, 7, 64, 100}) {
    auto values = random(count);
    std::vector<float> scaled(count);
    const auto scale = [&](float factor) {
      return kernels().scale(values.data(), factor, static_cast<int64_t>(count), scaled.data());
    };
    for (size_t n = 0; n < count; ++n) {
      for (const float zero : {0.0f, -0.0f, -1e-45f}) {
        const float good = std::exchange(values[n], zero);
        EXPECT_TRUE(scale(0.1f));
        EXPECT_TRUE(scaled[n] == 0 && !std::signbit(scaled[n])) << zero;
        values[n] = good;
      }
      for (const float bad : {kNan, kInfinity, -kInfinity, 3e38f}) {
        const float good = std::exchange(values[n], bad);
        EXPECT_FALSE(scale(2));
        values[n] = good;
      }
    }
    EXPECT_TRUE(scale(-1.5f));
    for (size_t n = 0; n < count; ++n) EXPECT_EQ(scaled[n], values[n] * -1.5f);
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, KernelsTest, testing::Range<size_t>(0, all_kernels().size()),
                         [](const auto& test) { return all_kernels()[test.param].isa; });

}  // namespace
}  // namespace limelight::detail
