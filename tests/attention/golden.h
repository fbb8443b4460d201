// Attention problems worked out by PyTorch in float64, from tests/golden/attention.safetensors.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/attention/problem.h"

namespace limelight::testing {

// Inputs and results are narrowed to f32.
struct GoldenCase {
  std::string name;
  Problem problem;
  Tensor<float, 4> out, weights, dout, dq, dk, dv;
  Tensor<float, 3> lse;
};

std::vector<GoldenCase> golden_cases();

// Runs check(case) on each, named in the failures.
template <class Check>
void for_every_golden_case(const Check& check) {
  const std::vector<GoldenCase> cases = golden_cases();
  ASSERT_EQ(cases.size(), 19u);
  for (const GoldenCase& c : cases) {
    SCOPED_TRACE(c.name);
    check(c);
  }
}

}  // namespace limelight::testing
