// Numbers drawn from a seed, for experiments that anybody can repeat: normal, mean 0 and deviation 1.
#pragma once

#include <array>
#include <cstdint>

#include "limelight/tensor.h"

namespace limelight::lesson {

// Number `index` of stream `stream`; a function of its arguments alone.
float draw_normal(uint64_t seed, uint32_t stream, int64_t index);

// A tensor of numbers 0, 1, 2, ... of a stream, times `factor`.
template <int Rank>
Tensor<float, Rank> draw(uint64_t seed, uint32_t stream, const std::array<int64_t, Rank>& sizes, float factor = 1) {
  Tensor<float, Rank> tensor(sizes);
  for (int64_t n = 0; n < tensor.count(); ++n) tensor.data()[n] = factor * draw_normal(seed, stream, n);
  return tensor;
}

}  // namespace limelight::lesson
