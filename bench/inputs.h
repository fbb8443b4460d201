// What the benchmarks compute on: random tensors, the same in every run.
#pragma once

#include <array>
#include <cstdint>

#include "limelight/storage.h"
#include "limelight/tensor.h"

namespace limelight::bench {

// Standard normal numbers, the same for every run.
Tensor<float, 4> random_tensor(const std::array<int64_t, 4>& sizes, uint32_t seed);

// The same numbers in 16 bits.
template <StoredFloat T>
Tensor<T, 4> narrowed(const Tensor<float, 4>& wide) {
  Tensor<T, 4> narrow(wide.sizes());
  for (int64_t i = 0; i < wide.count(); ++i) store_float(wide.data()[i], narrow.data() + i, storage_of<T>());
  return narrow;
}

// Self-attention of one batch entry: q, k, v and out are [1, heads, tokens, head size].
struct Inputs {
  Inputs(int64_t heads, int64_t tokens, int64_t head_size);

  std::array<int64_t, 4> sizes;
  Tensor<float, 4> q, k, v, out;
};

}  // namespace limelight::bench
