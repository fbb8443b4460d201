// Attention forward and backward on a packed pair of sequences with keys in bf16, and one step against the gradient.
//
// Two sequences of 3 and 5 tokens lie one behind the other; each sees itself alone, causally. The loss is half the
// square of the output's distance from a target, so that what arrives at the output is that distance.
#include <limelight/backward.h>

#include <array>
#include <cmath>
#include <cstdio>

using namespace limelight;

namespace {

constexpr std::array<int64_t, 4> kSizes{1, 2, 8, 16};  // B, H, tokens, head size

Tensor<float, 4> waves(float step) {
  Tensor<float, 4> tensor(kSizes);
  for (int64_t n = 0; n < tensor.count(); ++n) tensor.data()[n] = std::sin(step * static_cast<float>(n));
  return tensor;
}

}  // namespace

int main() {
  Tensor<float, 4> q = waves(0.37f);
  const Tensor<float, 4> v = waves(0.11f), target = waves(0.05f);
  Tensor<BFloat16, 4> k(kSizes);
  for (int64_t n = 0; n < k.count(); ++n) k.data()[n] = to_bfloat16(std::cos(0.23f * static_cast<float>(n)));

  const std::array<int64_t, 3> ends{0, 3, 8};
  const TensorView<const int64_t, 1> packed = view_of(ends.data(), std::array<int64_t, 1>{3});
  const AttentionOptions options{.causal = Causal::kBottomRight, .cu_q = packed, .cu_k = packed};

  double before = 0;
  for (int step = 0; step < 2; ++step) {
    const AttentionResult result = attention(q, k, v, options);
    Tensor<float, 4> dout(kSizes), dq(kSizes);
    double loss = 0;
    for (int64_t n = 0; n < dout.count(); ++n) {
      dout.data()[n] = result.out.data()[n] - target.data()[n];
      loss += 0.5 * dout.data()[n] * dout.data()[n];
    }
    std::printf("step %d: loss %.4f, lse of the last token %.4f\n", step, loss, result.lse(0, 1, 7));
    if (step == 1) return loss < before ? 0 : 1;
    before = loss;
    attention_backward(q, k, v, options, result.out, result.lse, dout, {.dq = dq});
    for (int64_t n = 0; n < q.count(); ++n) q.data()[n] -= 0.1f * dq.data()[n];
  }
}
