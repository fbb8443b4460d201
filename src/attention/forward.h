// The forward pass: every task's rows against their key tiles, folded in ascending order.
#pragma once

#include <cstdint>

#include "attention/problem.h"
#include "kernels/kernels.h"

namespace limelight::detail {

// Where results go; what is nullptr (or absent) is not computed. Arrays are contiguous over [B, H, M], views
// of any strides.
struct ForwardResults {
  std::optional<FloatOutput> out;
  std::optional<TensorView<float, 3>> lse;
  float* max = nullptr;          // final maximum of each row, 0 for a row without keys
  float* inverse_sum = nullptr;  // 1 / sum of exp(s - max), 0 for a row without keys
  float* entropy = nullptr;
  float* sink_share = nullptr;
  int64_t top_k = 0;
  float* top_weight = nullptr;  // [B, H, M, top_k]
  int64_t* top_index = nullptr;
};

void forward(const Problem& problem, const Kernels& kernels, const char* where, const ForwardResults& results);

// The partial of every row and key tile, not yet folded: [B H M, tiles], and [B H M, tiles, E].
struct PartialStore {
  int64_t first_tile = 0, tiles = 0;
  float* max = nullptr;
  float* sum = nullptr;
  float* moment = nullptr;  // or nullptr
  float* values = nullptr;  // or nullptr
};

// Fills the partials of tiles that a row sees; the others are left as they are.
void forward_partials(const Problem& problem, const Kernels& kernels, const char* where, const PartialStore& store);

}  // namespace limelight::detail
