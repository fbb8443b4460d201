// What attention of a layer was given, kept after the model's pass: views are copied while they live.
#pragma once

#include "limelight/model.h"

namespace limelight::detail {

// For ranks 3 and 4.
template <int Rank>
Tensor<float, Rank> copy_of(const TensorView<const float, Rank>& view);

// Whether a layer's attention hangs on nothing but numbers and its own q, k and v: one text, in one piece, without
// masks, biases and the like.
bool stands_alone(const LayerAttention& layer);

// The options of a layer that stands alone; they have no views.
AttentionOptions options_of(const LayerAttention& layer);

}  // namespace limelight::detail
