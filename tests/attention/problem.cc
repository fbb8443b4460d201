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
  AttentionOptions options{
      .causal = causal, .window = window, .scale = scale, .softcap = softcap, .part = part, .dropout = dropout};
  if (alibi_slopes) options.alibi_slopes = alibi_slopes->view();
  if (sinks) options.sinks = sinks->view();
  if (bias) options.bias = bias->view();
  if (mask) options.mask = mask->view();
  if (key_lengths) options.key_lengths = key_lengths->view();
  if (cu_q) options.cu_q = cu_q->view();
  if (cu_k) options.cu_k = cu_k->view();
  if (block_table) options.block_table = block_table->view();
  return options;
}

std::string Problem::text() const {
  std::ostringstream text;
  const auto& [B, H, G, M, N, D, E] = shape;
  text << "B " << B << " H " << H << " G " << G << " M " << M << " N " << N << " D " << D << " E " << E << " causal "
       << static_cast<int>(causal) << " window " << window.left << "," << window.right << " softcap " << softcap;
  if (scale) text << " scale " << *scale;
  const auto sizes = [&](const char* name, const auto& of) {
    if (!of) return;
    text << " " << name << " [";
    for (int64_t size : of->sizes()) text << size << " ";
    text << "]";
  };
  const auto values = [&](const char* name, const auto& of) {
    if (!of) return;
    text << " " << name;
    for (int64_t n = 0; n < of->count(); ++n) text << (n == 0 ? " " : ",") << of->data()[n];
  };
  sizes("alibi_slopes", alibi_slopes), sizes("bias", bias), sizes("mask", mask), sizes("block_table", block_table);
  values("sinks", sinks), values("key_lengths", key_lengths), values("cu_q", cu_q), values("cu_k", cu_k);
  if (block_table) text << " page " << k.sizes()[2];
  if (part) text << " part " << part->first << " of " << part->total;
  if (dropout.probability > 0)
    text << " dropout " << dropout.probability << "," << dropout.seed << "," << dropout.offset;
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
  if (options.alibi_slopes && axis < 2) options.alibi_slopes = slice(*options.alibi_slopes, axis, begin, count, true);
  if (options.sinks && axis == 1) options.sinks = slice(*options.sinks, 0, begin, count);
  if (options.key_lengths && axis == 0) options.key_lengths = slice(*options.key_lengths, 0, begin, count);
  if (options.block_table && axis == 0) options.block_table = slice(*options.block_table, 0, begin, count);
  return options;
}

}  // namespace limelight::testing
