// What is measured of one row of weights: how spread out it is, and how much of a gradient its softmax lets through.
#pragma once

#include <span>

namespace limelight::lesson {

// - sum p log p, in nats.
double row_entropy(std::span<const float> weights);

// The Frobenius norm of d p_i / d s_j = p_i ([i = j] - p_j): 0 where one weight is 1, largest for two halves.
double softmax_gradient(std::span<const float> weights);

double row_sum(std::span<const float> weights);

}  // namespace limelight::lesson
