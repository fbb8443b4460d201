// Seeded tensors and slices of options.
#include "tests/attention/problem.h"

#include <sstream>

namespace limelight::testing {

Tensor<float, 4> random_tensor(const std::array<int64_t, 4>& sizes, Random& random) {
  Tensor<float, 4> tensor(sizes);
  std::normal_distribution<float> normal;
  for (int64_t n = 0; n < tensor.count(); ++n) tensor.data()[n] = normal(random);
  return tensor;
}

Tensor<uint8_t, 4> random_mask(const std::array<int64_t, 4>& sizes, double share, Random& random) {
  Tensor<uint8_t, 4> tensor(sizes);
  std::bernoulli_distribution attend(share);
  for (int64_t n = 0; n < tensor.count(); ++n) tensor.data()[n] = attend(random);
  return tensor;
}

AttentionOptions Problem::options() const {
  AttentionOptions options{.causal = causal, .window = window, .scale = scale, .softcap = softcap};
  if (bias) options.bias = bias->view();
  if (mask) options.mask = mask->view();
  if (key_lengths) options.key_lengths = key_lengths->view();
  return options;
}

std::string Problem::text() const {
  std::ostringstream text;
  const auto& [B, H, G, M, N, D, E] = shape;
  text << "B " << B << " H " << H << " G " << G << " M " << M << " N " << N << " D " << D << " E " << E << " causal "
       << static_cast<int>(causal) << " window " << window.left << "," << window.right << " softcap " << softcap;
  if (scale) text << " scale " << *scale;
  const auto sizes = [&](const char* name, const auto& of) {
    text << " " << name << " [";
    for (int64_t size : of) text << size << " ";
    text << "]";
  };
  if (bias) sizes("bias", bias->sizes());
  if (mask) sizes("mask", mask->sizes());
  for (int64_t b = 0; key_lengths && b < B; ++b) text << (b == 0 ? " lengths " : " ") << (*key_lengths)(b);
  return text.str();
}

Problem make_problem(const Shape& shape, uint64_t seed) {
  Random random(seed);
  const auto& [B, H, G, M, N, D, E] = shape;
  Problem p;
  p.shape = shape;
  p.q = random_tensor({B, H, M, D}, random);
  p.k = random_tensor({B, G, N, D}, random);
  p.v = random_tensor({B, G, N, E}, random);
  return p;
}

AttentionOptions slice(AttentionOptions options, int axis, int64_t begin, int64_t count) {
  if (options.bias) options.bias = slice(*options.bias, axis, begin, count, true);
  if (options.mask) options.mask = slice(*options.mask, axis, begin, count, true);
  if (options.key_lengths && axis == 0) options.key_lengths = slice(*options.key_lengths, 0, begin, count);
  return options;
}

}  // namespace limelight::testing
