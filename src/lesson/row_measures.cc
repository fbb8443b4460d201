// In double, from the weights as they are.
#include "lesson/row_measures.h"

#include <cmath>

namespace limelight::lesson {

double row_entropy(std::span<const float> weights) {
  double sum = 0;
  for (const float weight : weights) {
    if (weight > 0) sum -= double{weight} * std::log(double{weight});
  }
  return sum;
}

// p_i^2 ((1 - p_i)^2 + sum of p_j^2), the others added up by themselves: 1 - p_i would be lost where p_i is nearly 1.
double softmax_gradient(std::span<const float> weights) {
  double squares = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    double others = 0, their_squares = 0;
    for (size_t j = 0; j < weights.size(); ++j) {
      if (j == i) continue;
      others += double{weights[j]};
      their_squares += double{weights[j]} * double{weights[j]};
    }
    squares += double{weights[i]} * double{weights[i]} * (others * others + their_squares);
  }
  return std::sqrt(squares);
}

double row_sum(std::span<const float> weights) {
  double sum = 0;
  for (const float weight : weights) sum += double{weight};
  return sum;
}

}  // namespace limelight::lesson
