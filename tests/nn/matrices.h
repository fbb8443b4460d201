// Matrices for the tests of the layers: random ones, and their comparison.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "limelight/tensor.h"
#include "tests/core/guarded.h"
#include "tests/core/same_bits.h"
#include "tests/kernels/under_every_isa.h"

namespace limelight::testing {

inline constexpr int64_t kSizes[] = {0, 1, 2, 3, 5, 63, 64, 65, 67, 384};

// Numbers in [-1, 1), the same in every run.
template <int Rank>
Tensor<float, Rank> random_tensor(const std::array<int64_t, Rank>& sizes, uint32_t seed) {
  Tensor<float, Rank> t(sizes);
  std::mt19937 bits(seed);
  for (int64_t i = 0; i < t.count(); ++i) t.data()[i] = static_cast<float>(bits() >> 8) * 0x1p-23f - 1.0f;
  return t;
}

inline Tensor<float, 2> random_matrix(int64_t rows, int64_t columns, uint32_t seed) {
  return random_tensor<2>({rows, columns}, seed);
}
inline Tensor<float, 1> random_vector(int64_t count, uint32_t seed) {
  return random_tensor<1>({count}, seed);
}

using GuardedFloats = Guarded<float>;

inline void expect_same_bits(TensorView<const float, 2> found, TensorView<const float, 2> expected) {
  EXPECT_TRUE(same_bits(found, expected));
}

// Largest error at most twice that of the naive computation in float, plus 4 ulp of the largest value.
inline void expect_twice_naive(TensorView<const float, 2> found, TensorView<const float, 2> naive,
                               TensorView<const double, 2> exact) {
  ASSERT_EQ(found.sizes, exact.sizes);
  double error = 0, naive_error = 0, largest = 0;
  for (int64_t t = 0; t < found.sizes[0]; ++t) {
    for (int64_t c = 0; c < found.sizes[1]; ++c) {
      ASSERT_TRUE(std::isfinite(found(t, c))) << "at " << t << ", " << c;
      error = std::max(error, std::abs(found(t, c) - exact(t, c)));
      naive_error = std::max(naive_error, std::abs(naive(t, c) - exact(t, c)));
      largest = std::max(largest, std::abs(exact(t, c)));
    }
  }
  EXPECT_LE(error, 2 * naive_error + 4 * largest * std::numeric_limits<float>::epsilon());
}

// call() throws std::invalid_argument with exactly this message.
template <class Call>
void expect_refused(const Call& call, const std::string& message) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << message;
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), message);
  }
}

}  // namespace limelight::testing
