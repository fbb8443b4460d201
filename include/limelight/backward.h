// The gradients of attention, in O(T) memory: weights are rebuilt tile by tile from q, k and lse.
//
// With P the weights, K the dropout factors (1 without dropout) and dP = (dout v^T) K:
//   dv = (P K)^T dout,  delta_i = dout_i . out_i - dlse_i,  dS = P (dP - delta),  and back through bias, ALiBi and
//   softcap (1 - tanh^2) to s = scale q k^T:  dq = scale dS k,  dk = scale dS^T q,  dsink = - sum exp(sink - lse)
//   delta.
// Heads of a group are summed in dk and dv. Rows without keys and masked pairs give exactly 0. lse is f32: a dbias of
// one column, which follows from it, is off by up to an ulp of lse times dlse where a sink has nearly all of a row.
// Same bits for any number of threads. Source: Dao et al. 2022, FlashAttention (arXiv 2205.14135), appendix B.
#pragma once

#include <optional>

#include "limelight/attention.h"

namespace limelight {

// Where gradients go; each is optional, has the sizes of its tensor, any strides, and is overwritten. Sums are formed
// in f32 and stored once.
struct AttentionGradients {
  std::optional<FloatOutput> dq = std::nullopt;
  std::optional<FloatOutput> dk = std::nullopt;
  std::optional<FloatOutput> dv = std::nullopt;
  std::optional<TensorView<float, 4>> dbias = std::nullopt;   // sizes of options.bias: summed over its axes of size 1
  std::optional<TensorView<float, 1>> dsinks = std::nullopt;  // [H]
};

// out and lse as attention() gave them for the same q, k, v and options (with a f32 out the gradients of 16-bit tensors
// are as good as they can be stored). dout [B,H,M,E]; dlse [B,H,M], the gradient that arrives at lse, 0 unless given.
// Gradients must not overlap each other or anything that is read. Paged keys need pages that are not shared. Takes all
// options, and is safe to call from any thread. Throws std::invalid_argument, before any work, for arguments that do
// not fit. Allocates 4 bytes x (B H M (D + 2)) and per thread about 400 KiB + 4 x 512 (2 D + 2 E).
void attention_backward(FloatView q, FloatView k, FloatView v, const AttentionOptions& options, FloatView out,
                        TensorView<const float, 3> lse, FloatView dout, const AttentionGradients& gradients,
                        std::optional<TensorView<const float, 3>> dlse = std::nullopt);

}  // namespace limelight
