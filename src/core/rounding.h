// Whole numbers of things: how many hold n, and how far they reach.
#pragma once

#include <cstdint>

namespace limelight::detail {

// n / step rounded up; n at least 0.
constexpr int64_t ceil_div(int64_t n, int64_t step) {
  return (n + step - 1) / step;
}

// n rounded up to a multiple of step.
constexpr int64_t round_up(int64_t n, int64_t step) {
  return ceil_div(n, step) * step;
}

}  // namespace limelight::detail
