// Whole numbers of things: how many hold n, how far they reach, where parts of n begin.
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

// Where part `part` begins when n are cut into parts of nearly equal size.
constexpr int64_t part_begin(int64_t n, int64_t parts, int64_t part) {
  return n * part / parts;
}

}  // namespace limelight::detail
