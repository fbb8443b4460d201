// Mistakes that are made with attention, each beside the right way, with figures that tell the harm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lesson/recipe.h"

namespace limelight::lesson {

struct Way {
  std::optional<Tensor<float, 2>> grid;  // [T,T] weights; none where there is none to be had
  std::vector<double> row_sums;
  std::vector<int64_t> shape;
  std::string error;  // why the computation is refused; empty where it runs
};

struct Mistake {
  Way right, wrong;
  Tensor<uint8_t, 2> blocked;  // of the right way
};

// The causal mask laid over the finished weights: rows no longer add up, and what they lack went to the future.
struct MaskAfterSoftmax : Mistake {
  double smallest_row_sum = 0, largest_row_sum = 0, leak = 0;
};
MaskAfterSoftmax mask_after_softmax(const HeadInput& head);

// Scores that are not divided by sqrt(d_k): rows close on one key, and the gradient goes.
struct NoScaling : Mistake {
  double largest_score = 0, largest_scaled = 0;  // by magnitude
  double entropy_right = 0, entropy_wrong = 0;   // mean over the rows
  double gradient_right = 0, gradient_wrong = 0;
};
NoScaling no_scaling(const HeadInput& head);

// k [1, T, D] turned over all its axes, [D, T, 1], instead of the last two, [1, D, T].
struct WrongTranspose : Mistake {
  std::optional<double> largest_difference;  // of the products, where the wrong one runs at all
};
WrongTranspose wrong_transpose(const HeadInput& head);

// Masked scores set to 0 instead of minus infinity: exp(0) is 1, so the future gets a share.
struct ZeroFill : Mistake {
  double leak = 0, mean_leak = 0;  // the blocked keys' share of a row: largest, mean
};
ZeroFill zero_fill(const HeadInput& head);

}  // namespace limelight::lesson
