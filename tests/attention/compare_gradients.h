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

// The references of a problem's gradients.
struct GradientJudge {
  GradientJudge(const Problem& p, const Tensor<float, 4>& dout, const Tensor<float, 3>* dlse = nullptr,
                double slack = 1);
  // At most 3x the error of the naive computation plus 4 ulp of the largest value in the storage of dq, dk and dv.
  ::testing::AssertionResult agrees(const Gradients& found, const std::array<Storage, 3>& stored = {
                                                                Storage::kF32, Storage::kF32, Storage::kF32}) const;

  detail::ReferenceGradients<double> exact;
  detail::ReferenceGradients<float> naive;
  double slack;
  // The largest terms of dS = P (dP - delta + dlse), which may cancel to nothing, and those of dq, dk and dsinks.
  double ds_term = 0, dq_term = 0, dk_term = 0, dsinks_term = 0;

 private:
  void find_terms(const Problem& p, const Tensor<float, 4>& dout);
};

}  // namespace limelight::testing
