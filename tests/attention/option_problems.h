// One small problem for each option of attention, and one with many together.
#pragma once

#include <string>
#include <vector>

#include "tests/attention/problem.h"

namespace limelight::testing {

struct OptionProblem {
  std::string name;
  Problem problem;
};
std::vector<OptionProblem> option_problems();

}  // namespace limelight::testing
