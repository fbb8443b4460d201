// What attention of one layer was given, kept after the model's run: what a text's maps and steps are made from.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "light.h"

namespace limelight::studio {

struct KeptLayer {
  explicit KeptLayer(const LayerAttention& seen);

  int64_t layer = 0;
  Tensor<float, 4> q, k, v;  // [1,H,T,D], [1,G,T,D], [1,G,T,E]
  Tensor<float, 3> lse;      // [1,H,T]
  AttentionOptions options;  // without views, which would not live as long

  int64_t tokens() const { return q.sizes()[2]; }
  int64_t bytes() const { return 4 * (q.count() + k.count() + v.count() + lse.count()); }

  // One head, [1,1,T,D]; keys and values are those of its group.
  TensorView<const float, 4> query(int64_t head) const { return one_head(q, head, q.sizes()[1]); }
  TensorView<const float, 4> key(int64_t head) const { return one_head(k, head, q.sizes()[1]); }
  TensorView<const float, 4> value(int64_t head) const { return one_head(v, head, q.sizes()[1]); }
};

// Runs the model up to that layer. Throws std::invalid_argument where its attention cannot be kept.
std::unique_ptr<const KeptLayer> keep_layer(const Reader& model, std::span<const int32_t> ids, int64_t layer, Mask mask,
                                            const Run& run);

}  // namespace limelight::studio
