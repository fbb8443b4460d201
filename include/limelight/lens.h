// The lens: what attention looked at, exactly and in O(T) memory, from the same forward pass that gives the output.
//
// p_ij is the weight of attention.h, before dropout. With sinks the weights of a row and its sink_share add to 1.
// For a fixed request the memory is O(B H (M + N)): no T x T matrix is ever held. Both calls are safe from any thread
// and throw std::invalid_argument, before any work, for arguments that do not fit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "limelight/attention.h"

namespace limelight {

struct LensRequest {
  std::vector<int64_t> rows = {};  // query indices whose whole rows p_i. are wanted; negative counts from the end
  int64_t top_k = 0;               // the strongest keys of every query
  bool received = false;           // the mass every key receives, sum_i p_ij
  bool entropy = false;            // of every row, - sum_j p_ij log p_ij, in nats
  int64_t heatmap = 0;             // side P of the pooled map: cell (floor(i P / M), floor(j P / N)); 0: none
};

// Owns what was asked; the rest is empty. R = rows.size(), K = top_k, P = heatmap.
struct LensResult {
  Tensor<float, 4> rows;            // [B,H,R,N]
  Tensor<uint8_t, 4> rows_blocked;  // [B,H,R,N]: 1 where the key is masked, a state of its own and not a weight of 0
  Tensor<int64_t, 4> top_index;     // [B,H,M,K], by score, equal ones lowest index first; -1: fewer live keys
  Tensor<float, 4> top_weight;      // [B,H,M,K]
  Tensor<float, 3> received;        // [B,H,N]; of paged keys in packed sequences [S,H,N]
  Tensor<float, 3> entropy;         // [B,H,M]; 0 for a row without keys
  Tensor<float, 4> heatmap_sum;     // [B,H,P,P]
  Tensor<float, 4> heatmap_max;     // [B,H,P,P]
  Tensor<float, 3> sink_share;  // [B,H,M]: of the sinks, where the options have them and whole rows were passed over
};

// Attention and its lens in one call: out and lse as attention(), bit for bit. Top-k and entropy ride along in the
// forward pass; received mass and heatmap take one more pass of q k^T, chosen rows one over those rows alone.
// Asking for more never changes the bits of the rest.
LensResult attention_and_look(FloatView q, FloatView k, FloatView v, const AttentionOptions& options,
                              const LensRequest& request, FloatOutput out,
                              std::optional<TensorView<float, 3>> lse = std::nullopt);

// The lens alone, for a call that already ran with these q, k and options (an observer of a model). Max and sum of a
// row are rebuilt, so its bits equal those of attention_and_look().
LensResult look(FloatView q, FloatView k, const AttentionOptions& options, const LensRequest& request);

}  // namespace limelight
