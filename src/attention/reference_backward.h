// The gradients of attention as a textbook writes them: the formulas of limelight/backward.h, pair by pair.
//
// Real as in reference.h; arguments are trusted.
#pragma once

#include <optional>

#include "attention/reference.h"

namespace limelight::detail {

// Sizes of their tensors, paged ones in pages; dbias and dsinks are empty where the options have none.
template <class Real>
struct ReferenceGradients {
  Tensor<Real, 4> dq;
  Tensor<Real, 4> dk;
  Tensor<Real, 4> dv;
  Tensor<Real, 4> dbias;
  Tensor<Real, 1> dsinks;
};

template <class Real>
ReferenceGradients<Real> reference_backward(FloatView q, FloatView k, FloatView v, const AttentionOptions& options,
                                            FloatView dout,
                                            std::optional<TensorView<const float, 3>> dlse = std::nullopt);

}  // namespace limelight::detail
