// The layers as their formulas say, one loop each. In double they judge the fast ones; in float they are the naive
// computation whose error the fast ones may not exceed twofold.
#pragma once

#include <optional>

#include "limelight/nn.h"

namespace limelight::detail::reference {

// Instantiated for float and double.
template <class Real>
void linear(TensorView<const float, 2> x, TensorView<const float, 2> weight,
            std::optional<TensorView<const float, 1>> bias, TensorView<Real, 2> y);

template <class Real>
void layer_norm(TensorView<const float, 2> x, TensorView<const float, 1> gamma, TensorView<const float, 1> beta,
                float epsilon, TensorView<Real, 2> y);

template <class Real>
Real gelu(Real x, Gelu form);

template <class Real>
void rms_norm(TensorView<const float, 2> x, TensorView<const float, 1> gamma, float epsilon, TensorView<Real, 2> y);

template <class Real>
Real silu(Real x);

// Heads of 2 * frequencies.size() channels; row t is at position first + t.
template <class Real>
void rope(TensorView<const float, 2> x, std::span<const double> frequencies, int64_t first, TensorView<Real, 2> y);

}  // namespace limelight::detail::reference
