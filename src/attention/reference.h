// Attention and its lens as a textbook writes them, T x T weights and all: what the fast path is judged by.
//
// Real is double for the reference itself, and float for the naive f32 computation whose error is the yardstick.
// Arguments are trusted: whoever calls has had them checked. Names as in docs/attention.md.
#pragma once

#include <cstdint>
#include <vector>

#include "limelight/attention.h"

namespace limelight::detail {

template <class Real>
struct ReferenceAttention {
  Tensor<Real, 4> out;           // [B,H,M,E]
  Tensor<Real, 3> lse;           // [B,H,M]
  Tensor<Real, 4> weights;       // [B,H,M,N]
  Tensor<uint8_t, 4> blocked;    // [B,H,M,N]: 1 where the key is masked or its final score is minus infinity
  std::vector<int64_t> lengths;  // [B]: the N of each sequence
};

template <class Real>
ReferenceAttention<Real> reference_attention(TensorView<const float, 4> q, TensorView<const float, 4> k,
                                             TensorView<const float, 4> v, const AttentionOptions& options);

template <class Real>
struct ReferenceLens {
  Tensor<int64_t, 4> top_index;  // [B,H,M,K]
  Tensor<Real, 4> top_weight;    // [B,H,M,K]
  Tensor<Real, 3> received;      // [B,H,N]
  Tensor<Real, 3> entropy;       // [B,H,M]
  Tensor<Real, 4> heatmap_sum;   // [B,H,P,P]
  Tensor<Real, 4> heatmap_max;   // [B,H,P,P]
};

// K = top_k, P = heatmap.
template <class Real>
ReferenceLens<Real> reference_lens(const ReferenceAttention<Real>& attention, int64_t top_k, int64_t heatmap);

}  // namespace limelight::detail
