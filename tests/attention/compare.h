// What tests compare: bits with bits, and errors against the double reference with the errors of a naive f32
// computation.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "attention/reference.h"
#include "limelight/tensor.h"
#include "tests/attention/problem.h"
#include "tests/core/same_bits.h"
#include "tests/kernels/under_every_isa.h"

namespace limelight::testing {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

inline ::testing::AssertionResult same_bits(const AttentionResult& a, const AttentionResult& b) {
  if (auto r = same_bits(a.out, b.out); !r) return r << " (out)";
  return same_bits(a.lse, b.lse) << " (lse)";
}

::testing::AssertionResult same_bits(const LensResult& a, const LensResult& b);

// |a - b|; 0 for equal infinities and for two NaN, infinity when only one of the two is finite.
double difference(double a, double b);

// The largest difference of two arrays, and the largest finite magnitude in the second.
struct Error {
  double max = 0;
  double largest = 0;
};
template <class T, class Exact, int Rank>
Error error_of(const Tensor<T, Rank>& found, const Tensor<Exact, Rank>& exact) {
  Error error;
  for (int64_t n = 0; n < exact.count(); ++n) {
    const double value = static_cast<double>(exact.data()[n]);
    error.max = std::max(error.max, difference(static_cast<double>(found.data()[n]), value));
    if (std::isfinite(value)) error.largest = std::max(error.largest, std::abs(value));
  }
  return error;
}

// The spacing of the storage's numbers just below this magnitude.
double ulp(double magnitude, Storage storage = Storage::kF32);

// `times` the error of the naive computation plus 4 ulp, in the storage of the result, of the largest value (or of the
// largest `term`, where values are sums whose terms may cancel), times `slack`.
struct Bound {
  double slack = 1;
  double times = 2;
  Storage storage = Storage::kF32;
  double term = 0;
};
template <int Rank, class Exact>
::testing::AssertionResult close(const Tensor<float, Rank>& found, const Tensor<float, Rank>& naive,
                                 const Tensor<Exact, Rank>& exact, const Bound& allowed = {}) {
  if (found.sizes() != exact.sizes()) return ::testing::AssertionFailure() << "sizes differ";
  const Error error = error_of(found, exact);
  const Error yardstick = error_of(naive, exact);
  const double rounding = 4 * std::max(ulp(yardstick.largest, allowed.storage), ulp(allowed.term));
  const double bound = allowed.slack * (allowed.times * yardstick.max + rounding);
  if (!std::isfinite(bound)) return ::testing::AssertionFailure() << "no bound: the naive computation is not finite";
  if (error.max <= bound) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "error " << error.max << " against " << yardstick.max
                                       << " of a naive computation, bound " << bound << ", largest value "
                                       << yardstick.largest;
}

// The references of a problem, and the check of a result against them.
struct Judge {
  explicit Judge(const Problem& p, double slack = 1);
  // `stored` is what out was narrowed to.
  ::testing::AssertionResult agrees(const AttentionResult& found, Storage stored = Storage::kF32) const;
  ::testing::AssertionResult agrees(const LensResult& found, const LensRequest& request) const;

  detail::ReferenceAttention<double> exact;
  detail::ReferenceAttention<float> naive;
  double slack;
};

}  // namespace limelight::testing
