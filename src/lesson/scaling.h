// Why scores are divided by sqrt(d_k): random queries and keys, with and without, as d_k grows.
#pragma once

#include <cstdint>

#include "limelight/runtime.h"

namespace limelight::lesson {

// Means over the queries; the deviation is over all scores.
struct ScoreFigures {
  double deviation = 0;
  double entropy = 0;   // nats
  double largest = 0;   // weight of a row
  double gradient = 0;  // softmax_gradient()
};

struct ScalingFigures {
  ScoreFigures scaled, unscaled;
};

// 256 queries against `keys` keys of size `d_k`, all numbers normal. Throws std::invalid_argument unless 1 <= d_k <=
// 1024 and 1 <= keys <= 256.
ScalingFigures scaling_figures(int64_t d_k, int64_t keys, uint64_t seed);

}  // namespace limelight::lesson
