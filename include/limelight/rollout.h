// Attention rollout: how much of every token is in one token's vector after all layers, heads taken together.
//
//   R = W_L ... W_2 W_1, W_l = (I + mean over heads of P_l) / 2, and r = the token's row of R: a chain of row vectors
//   from the last layer down, r <- (r + mean over heads of r P_l) / 2. It adds to 1.
// Source: Abnar and Zuidema 2020, Quantifying Attention Flow in Transformers (arXiv 2005.00928). No T x T matrix is
// formed: r P_l is the gradient of the values where r arrives at the output, one pass in O(T) memory.
#pragma once

#include <cstdint>
#include <vector>

#include "limelight/model.h"

namespace limelight {

// Keeps q, k and lse of every layer of one text: 4 T (H D + G D + H) bytes a layer. One pass of a model at a time.
class Rollout {
 public:
  // For the options of passes over one text in one piece, each of which takes the place of the one before. Must not
  // outlive this. Throws std::invalid_argument, from within the pass, for a batch, a piece of a text, a mask or a bias.
  AttentionObserver observer();

  int64_t layers() const { return static_cast<int64_t>(layers_.size()); }

  // [T]: the shares of all tokens in `token` after the layers that were seen; -1 is the last token. The sums of
  // attention_backward(), with the same bits for any number of threads; progress counts over all layers. Throws
  // std::invalid_argument before a pass and for a token that is not there.
  std::vector<float> from(int64_t token, const Run& run = {}) const;

 private:
  struct Layer {
    Tensor<float, 4> q, k;
    Tensor<float, 3> lse;
    AttentionOptions options;
  };
  std::vector<float> through(const Layer& layer, const std::vector<float>& row, const Run& run) const;

  std::vector<Layer> layers_;
};

}  // namespace limelight
