// The forward pass: every task's rows against their key tiles, folded in ascending order.
#pragma once

#include <cstdint>

#include "attention/problem.h"
#include "kernels/kernels.h"

namespace limelight::detail {

// Where results go; what is nullptr (or absent) is not computed. Contiguous arrays over [B, H, M].
struct ForwardResults {
  std::optional<TensorView<float, 4>> out;
  std::optional<TensorView<float, 3>> lse;
  float* max = nullptr;          // final maximum of each row, 0 for a row without keys
  float* inverse_sum = nullptr;  // 1 / sum of exp(s - max), 0 for a row without keys
  float* entropy = nullptr;
  int64_t top_k = 0;
  float* top_weight = nullptr;  // [B, H, M, top_k]
  int64_t* top_index = nullptr;
};

void forward(const Problem& problem, const Kernels& kernels, const char* where, const ForwardResults& results);

}  // namespace limelight::detail
