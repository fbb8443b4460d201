// Standard normal numbers, each tensor from a seed of its own.
#include "bench/inputs.h"

#include <algorithm>
#include <random>

namespace limelight::bench {

Tensor<float, 4> random_tensor(const std::array<int64_t, 4>& sizes, uint32_t seed) {
  Tensor<float, 4> tensor(sizes);
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::generate_n(tensor.data(), tensor.count(), [&] { return normal(generator); });
  return tensor;
}

Inputs::Inputs(int64_t heads, int64_t tokens, int64_t head_size)
    : sizes{1, heads, tokens, head_size},
      q(random_tensor(sizes, 1)),
      k(random_tensor(sizes, 2)),
      v(random_tensor(sizes, 3)),
      out(sizes) {}

}  // namespace limelight::bench
