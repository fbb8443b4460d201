// The arguments of one backward call, checked at the door: by the call, and by who would know before the forward pass.
#pragma once

#include <optional>

#include "attention/problem.h"
#include "limelight/backward.h"

namespace limelight::detail {

constexpr const char* kBackward = "attention_backward";  // what errors call it

// Throws std::invalid_argument for all that attention_backward() refuses; reads no number of the tensors.
Problem check_backward(const FloatView& q, const FloatView& k, const FloatView& v, const AttentionOptions& options,
                       const FloatView& out, const TensorView<const float, 3>& lse, const FloatView& dout,
                       const AttentionGradients& gradients, const std::optional<TensorView<const float, 3>>& dlse);

}  // namespace limelight::detail
