// The gradient of the bias: score gradients summed over the axes along which the bias is broadcast.
#pragma once

#include "attention/key_tile.h"
#include "attention/row_block.h"
#include "limelight/backward.h"

namespace limelight::detail {

// Whether dbias has a column for every key; with one column for all keys it needs no pass over them.
inline bool sums_bias_by_key(const AttentionGradients& gradients) {
  return gradients.dbias && gradients.dbias->sizes[3] != 1;
}

// Whether blocks of the same keys but other heads or sequences add to the same elements.
bool sums_bias_across_heads(const Problem& problem, const AttentionGradients& gradients);

// Adds the gradients [rows, kScoreStride] of a block's rows against a tile.
void add_bias_gradient(const TensorView<float, 4>& dbias, const RowBlock& rows, const KeyTile& tile,
                       const float* gradients);

// What is summed over rows alone. A score that moves with all others of its row moves only lse and the sink's share:
// sum_j dS_ij = dlse_i + share_i (dout_i . out_i - dlse_i), and dsink = - sum_i share_i (dout_i . out_i - dlse_i).
// lse and delta as in Backward.
void sum_row_gradients(const Problem& problem, const float* lse, const float* delta,
                       const std::optional<TensorView<const float, 3>>& dlse, const AttentionGradients& gradients);

}  // namespace limelight::detail
