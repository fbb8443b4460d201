// Attention and its lens as a textbook writes them, T x T weights and all: what the fast path is judged by.
//
// Real is double for the reference itself, and float for the naive f32 computation whose error is the yardstick.
// Arguments are trusted: whoever calls has had them checked. Names as in docs/attention.md.
#pragma once

#include <cstdint>
#include <vector>

#include "attention/reference_row.h"
#include "limelight/attention.h"

namespace limelight::detail {

// N is the call's: all keys of a pack; when paged, the columns of the block table x the page size.
template <class Real>
struct ReferenceAttention {
  Tensor<Real, 4> out;         // [B,H,M,E]
  Tensor<Real, 3> lse;         // [B,H,M]
  Tensor<Real, 4> weights;     // [B,H,M,N], before dropout
  Tensor<uint8_t, 4> blocked;  // [B,H,M,N]: 1 where the key is masked or its final score is minus infinity
  Tensor<Real, 3> sink_share;  // [B,H,M]: exp(sink - lse), 0 without sinks
  std::vector<ReferenceSequence> sequences;
};

template <class Real>
ReferenceAttention<Real> reference_attention(FloatView q, FloatView k, FloatView v, const AttentionOptions& options);

// s = scale q . k, before softcap; unless given, scale is 1 / sqrt(D).
template <class Real>
Real reference_scale(const AttentionOptions& options, int64_t head_size);
template <class Real>
Real reference_dot(const Tensor<Real, 4>& q, const Tensor<Real, 4>& k, const ReferenceRow& row, int64_t column);

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
