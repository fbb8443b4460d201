// Random stored weights, finite ones.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "limelight/quantised.h"
#include "limelight/storage.h"
#include "limelight/tensor.h"
#include "model/stored_matrix.h"

namespace limelight::testing {

inline constexpr WeightType kAllTypes[] = {WeightType::kF32,  WeightType::kF16,  WeightType::kBf16, WeightType::kQ8_0,
                                           WeightType::kQ4_0, WeightType::kQ4_1, WeightType::kQ5_0, WeightType::kQ5_1,
                                           WeightType::kQ4K,  WeightType::kQ6K};

inline void refuse_weight(int64_t n, int64_t k, float found) {
  ADD_FAILURE() << "weight " << k << " of row " << n << " is " << found;
}

struct RandomWeights {
  WeightType type{};
  int64_t out = 0, in = 0;
  std::vector<std::byte> bytes;

  RandomWeights(WeightType stored, int64_t rows, int64_t depth, uint32_t seed)
      : type(stored), out(rows), in(depth), bytes(static_cast<size_t>(rows * row_bytes())) {
    std::mt19937 random(seed);
    const WeightBlock block = weight_block(type);
    std::vector<float> weights(static_cast<size_t>(block.weights));
    for (size_t at = 0; at < bytes.size(); at += static_cast<size_t>(block.bytes)) {
      // Nearly every draw is finite and of a usual size once the exponents of the scales are not extreme.
      do {
        for (size_t i = 0; i < static_cast<size_t>(block.bytes); ++i) bytes[at + i] = static_cast<std::byte>(random());
        dequantise(&bytes[at], type, block.weights, weights.data());
      } while (!usual(weights));
    }
  }

  int64_t row_bytes() const { return in / weight_block(type).weights * weight_block(type).bytes; }

  Tensor<float, 2> floats() const {
    Tensor<float, 2> matrix({out, in});
    dequantise(bytes.data(), type, out * in, matrix.data());
    return matrix;
  }

  detail::StoredRows rows() const { return {bytes.data(), out}; }
  detail::StoredMatrix stored(const Run& run = {}) const {
    const detail::StoredRows part = rows();
    return detail::StoredMatrix({&part, 1}, in, type, refuse_weight, run);
  }

 private:
  static bool usual(std::span<const float> weights) {
    float largest = 0;
    for (const float w : weights) {
      if (!std::isfinite(w)) return false;
      largest = std::fmax(largest, std::fabs(w));
    }
    return largest > 1e-3f && largest < 1e3f;
  }
};

}  // namespace limelight::testing
