// The gradients of a problem by the fast path, and their check against the references.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "attention/reference_backward.h"
#include "limelight/backward.h"
#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {

using Gradients = detail::ReferenceGradients<float>;

// All gradients in f32, after a forward call with the same options.
Gradients gradients(const Problem& p, const Tensor<float, 4>& dout, const Tensor<float, 3>* dlse = nullptr,
                    const Run& run = {});

::testing::AssertionResult same_bits(const Gradients& a, const Gradients& b);

// The largest of the terms that each gradient is a sum of, which may cancel to nothing.
struct GradientTerms {
  double dq = 0, dk = 0, dv = 0, dbias = 0, dsinks = 0;
};

// The references of a problem's gradients.
struct GradientJudge {
  GradientJudge(const Problem& p, const Tensor<float, 4>& dout, const Tensor<float, 3>* dlse = nullptr,
                double slack = 1);
  // At most 3x the error of the naive computation plus 4 ulp of the largest value in the storage of dq, dk and dv.
  ::testing::AssertionResult agrees(const Gradients& found, const std::array<Storage, 3>& stored = {
                                                                Storage::kF32, Storage::kF32, Storage::kF32}) const;

  detail::ReferenceGradients<double> exact;
  detail::ReferenceGradients<float> naive;
  GradientTerms terms;
  double slack;
};

}  // namespace limelight::testing
