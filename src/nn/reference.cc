// The layers as their formulas say.
#include "nn/reference.h"

#include <cmath>
#include <numbers>

namespace limelight::detail::reference {

template <class Real>
void linear(TensorView<const float, 2> x, TensorView<const float, 2> weight,
            std::optional<TensorView<const float, 1>> bias, TensorView<Real, 2> y) {
  const auto [out, in] = weight.sizes;
  for (int64_t t = 0; t < x.sizes[0]; ++t) {
    for (int64_t n = 0; n < out; ++n) {
      Real sum = 0;
      for (int64_t d = 0; d < in; ++d) sum += Real(x(t, d)) * Real(weight(n, d));
      y(t, n) = sum + (bias ? Real((*bias)(n)) : Real(0));
    }
  }
}

template <class Real>
void layer_norm(TensorView<const float, 2> x, TensorView<const float, 1> gamma, TensorView<const float, 1> beta,
                float epsilon, TensorView<Real, 2> y) {
  const auto [rows, channels] = x.sizes;
  for (int64_t t = 0; t < rows; ++t) {
    Real mean = 0;
    for (int64_t c = 0; c < channels; ++c) mean += Real(x(t, c)) / Real(channels);
    Real variance = 0;
    for (int64_t c = 0; c < channels; ++c) variance += (x(t, c) - mean) * (x(t, c) - mean) / Real(channels);
    const Real deviation = std::sqrt(variance + Real(epsilon));
    for (int64_t c = 0; c < channels; ++c) {
      y(t, c) = (x(t, c) - mean) / deviation * Real(gamma(c)) + Real(beta(c));
    }
  }
}

// At minus infinity both forms tend to 0, where the formulas give 0 times infinity.
template <class Real>
Real gelu(Real x, Gelu form) {
  if (std::isinf(x)) return x > 0 ? x : Real(0);
  if (form == Gelu::kErf) return x / 2 * std::erfc(-x / std::numbers::sqrt2_v<Real>);
  const Real u = std::sqrt(2 / std::numbers::pi_v<Real>) * (x + Real(0.044715) * x * x * x);
  return x / 2 * (1 + std::tanh(u));
}

template <class Real>
void rms_norm(TensorView<const float, 2> x, TensorView<const float, 1> gamma, float epsilon, TensorView<Real, 2> y) {
  const auto [rows, channels] = x.sizes;
  for (int64_t t = 0; t < rows; ++t) {
    Real squares = 0;
    for (int64_t c = 0; c < channels; ++c) squares += Real(x(t, c)) * Real(x(t, c));
    const Real length = std::sqrt(squares / Real(channels) + Real(epsilon));
    for (int64_t c = 0; c < channels; ++c) y(t, c) = Real(x(t, c)) / length * Real(gamma(c));
  }
}

// At minus infinity it tends to 0, where the formula gives infinity by infinity.
template <class Real>
Real silu(Real x) {
  if (std::isinf(x)) return x > 0 ? x : Real(0);
  return x / (1 + std::exp(-x));
}

template <class Real>
void rope(TensorView<const float, 2> x, std::span<const double> frequencies, int64_t first, TensorView<Real, 2> y) {
  const auto half = static_cast<int64_t>(frequencies.size());
  for (int64_t t = 0; t < x.sizes[0]; ++t) {
    for (int64_t n = 0; n < x.sizes[1]; ++n) {
      const int64_t c = n % (2 * half);
      const Real angle = Real(static_cast<double>(first + t) * frequencies[static_cast<size_t>(c % half)]);
      const Real across = c < half ? -Real(x(t, n + half)) : Real(x(t, n - half));
      y(t, n) = Real(x(t, n)) * std::cos(angle) + across * std::sin(angle);
    }
  }
}

template void linear(TensorView<const float, 2>, TensorView<const float, 2>, std::optional<TensorView<const float, 1>>,
                     TensorView<float, 2>);
template void linear(TensorView<const float, 2>, TensorView<const float, 2>, std::optional<TensorView<const float, 1>>,
                     TensorView<double, 2>);
template void layer_norm(TensorView<const float, 2>, TensorView<const float, 1>, TensorView<const float, 1>, float,
                         TensorView<float, 2>);
template void layer_norm(TensorView<const float, 2>, TensorView<const float, 1>, TensorView<const float, 1>, float,
                         TensorView<double, 2>);
template float gelu(float, Gelu);
template double gelu(double, Gelu);
template void rms_norm(TensorView<const float, 2>, TensorView<const float, 1>, float, TensorView<float, 2>);
template void rms_norm(TensorView<const float, 2>, TensorView<const float, 1>, float, TensorView<double, 2>);
template float silu(float);
template double silu(double);
template void rope(TensorView<const float, 2>, std::span<const double>, int64_t, TensorView<float, 2>);
template void rope(TensorView<const float, 2>, std::span<const double>, int64_t, TensorView<double, 2>);

}  // namespace limelight::detail::reference
