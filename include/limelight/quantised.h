// Weights as model files keep them: plain floats, or blocks along a row that share a scale.
//
// Blocks are GGML's (ggml-org/ggml, docs of the quantisation types): d and m are f16, q an unsigned number of some
// bits.
//   Q8_0  32 weights in 34 bytes  d q, q signed, 8 bits
//   Q4_0  32 in 18                d (q - 8), 4 bits        Q4_1  32 in 20  d q + m
//   Q5_0  32 in 22                d (q - 16), 5 bits       Q5_1  32 in 24  d q + m
//   Q4_K  256 in 144              d s q - m t, 4 bits; s and t are 6 bits for each 32 weights
//   Q6_K  256 in 210              d s (q - 32), 6 bits; s is signed, 8 bits, for each 16 weights
// Products are exact in f32, so a weight is rounded at most once, by its one addition.
#pragma once

#include <cstdint>
#include <string_view>

namespace limelight {

enum class WeightType { kF32, kF16, kBf16, kQ8_0, kQ4_0, kQ4_1, kQ5_0, kQ5_1, kQ4K, kQ6K };
inline constexpr int kWeightTypes = 10;

std::string_view weight_type_name(WeightType type);  // "F32", "Q4_1", "Q4_K"

// Weights a block, and its bytes; a float is a block of one.
struct WeightBlock {
  int64_t weights = 1;
  int64_t bytes = 4;
};
WeightBlock weight_block(WeightType type);

// Weight i of `count` (whole blocks) at `from`, aligned or not, to to[i].
void dequantise(const void* from, WeightType type, int64_t count, float* to);

}  // namespace limelight
