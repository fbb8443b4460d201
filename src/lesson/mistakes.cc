// The right way is the engine's under a causal mask; the wrong one is the engine's too as far as it will do it.
#include "lesson/mistakes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "lesson/row_measures.h"

namespace limelight::lesson {
namespace {

AttentionOptions causal(const HeadInput& head) {
  AttentionOptions options = head.options;
  options.causal = Causal::kBottomRight;
  return options;
}

Way way_of(Tensor<float, 2> grid) {
  Way way;
  const auto [rows, columns] = grid.sizes();
  for (int64_t i = 0; i < rows; ++i) way.row_sums.push_back(row_sum({&grid(i, 0), static_cast<size_t>(columns)}));
  way.shape = {rows, columns};
  way.grid = std::move(grid);
  return way;
}

// The right way, into any of them.
template <class Kind>
Kind begin(const HeadInput& head) {
  Kind mistake;
  mistake.right = way_of(weights_of(head, causal(head), &mistake.blocked).grid);
  return mistake;
}

double mean(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

double largest(const Tensor<float, 2>& grid) {
  double most = 0;
  for (int64_t n = 0; n < grid.count(); ++n) most = std::max(most, std::abs(double{grid.data()[n]}));
  return most;
}

// [a, b, c] times [d, e, f], as libraries of arrays do it: the first axes are equal or one of them is 1.
std::string product_error(const std::vector<int64_t>& x, const std::vector<int64_t>& y) {
  if (x[0] != y[0] && x[0] != 1 && y[0] != 1) {
    return "cannot multiply " + detail::shape_text(x.data(), 3) + " by " + detail::shape_text(y.data(), 3) +
           ": the first axes, " + std::to_string(x[0]) + " and " + std::to_string(y[0]) + ", differ";
  }
  if (x[2] != y[1]) {
    return "cannot multiply " + detail::shape_text(x.data(), 3) + " by " + detail::shape_text(y.data(), 3) +
           ": rows of " + std::to_string(x[2]) + " numbers meet columns of " + std::to_string(y[1]);
  }
  return "";
}

}  // namespace

MaskAfterSoftmax mask_after_softmax(const HeadInput& head) {
  auto mistake = begin<MaskAfterSoftmax>(head);
  AttentionOptions open = head.options;
  open.causal = Causal::kNone;
  Tensor<float, 2> grid = weights_of(head, open).grid;
  for (int64_t n = 0; n < grid.count(); ++n) {
    if (mistake.blocked.data()[n] != 0) grid.data()[n] = 0;
  }
  mistake.wrong = way_of(std::move(grid));
  const auto [least, most] = std::minmax_element(mistake.wrong.row_sums.begin(), mistake.wrong.row_sums.end());
  mistake.smallest_row_sum = *least;
  mistake.largest_row_sum = *most;
  mistake.leak = std::max(0.0, 1 - *least);
  return mistake;
}

NoScaling no_scaling(const HeadInput& head) {
  NoScaling mistake;
  AttentionOptions unscaled = causal(head);
  unscaled.scale = 1.0f;
  Weights right = weights_of(head, causal(head), &mistake.blocked), wrong = weights_of(head, unscaled);
  const Scores steps = scores_of(head);
  mistake.largest_score = largest(steps.scores);
  mistake.largest_scaled = largest(steps.scaled);
  mistake.entropy_right = mean(right.entropy);
  mistake.entropy_wrong = mean(wrong.entropy);
  mistake.gradient_right = mean(right.gradient);
  mistake.gradient_wrong = mean(wrong.gradient);
  mistake.right = way_of(std::move(right.grid));
  mistake.wrong = way_of(std::move(wrong.grid));
  return mistake;
}

WrongTranspose wrong_transpose(const HeadInput& head) {
  auto mistake = begin<WrongTranspose>(head);
  const int64_t tokens = head.tokens(), depth = head.head_size();
  mistake.right.shape = {1, depth, tokens};
  mistake.wrong.shape = {depth, tokens, 1};
  mistake.wrong.error = product_error({1, tokens, depth}, mistake.wrong.shape);
  if (!mistake.wrong.error.empty()) return mistake;
  // T = D: [1, T, D] by [D, T, 1] runs and gives [D, T, 1], for each channel c of k the sums over d of q[i, d] k[d, c].
  const Scores steps = scores_of(head);
  double most = 0;
  for (int64_t c = 0; c < depth; ++c) {
    for (int64_t i = 0; i < tokens; ++i) {
      double sum = 0;
      for (int64_t d = 0; d < depth; ++d) sum += double{head.q(0, 0, i, d)} * double{head.k(0, 0, d, c)};
      most = std::max(most, std::abs(sum - double{steps.scores(c, i)}));
    }
  }
  mistake.largest_difference = most;
  return mistake;
}

ZeroFill zero_fill(const HeadInput& head) {
  auto mistake = begin<ZeroFill>(head);
  const Scores steps = scores_of(head);
  const int64_t tokens = head.tokens();
  Tensor<float, 2> grid({tokens, tokens});
  for (int64_t i = 0; i < tokens; ++i) {
    double sum = 0, blocked = 0;
    const auto score = [&](int64_t j) { return mistake.blocked(i, j) != 0 ? 0.0 : double{steps.scaled(i, j)}; };
    double most = 0;
    for (int64_t j = 0; j < tokens; ++j) most = std::max(most, score(j));
    for (int64_t j = 0; j < tokens; ++j) sum += std::exp(score(j) - most);
    for (int64_t j = 0; j < tokens; ++j) {
      const double weight = std::exp(score(j) - most) / sum;
      grid(i, j) = static_cast<float>(weight);
      if (mistake.blocked(i, j) != 0) blocked += weight;
    }
    mistake.leak = std::max(mistake.leak, blocked);
    mistake.mean_leak += blocked / static_cast<double>(tokens);
  }
  mistake.wrong = way_of(std::move(grid));
  return mistake;
}

}  // namespace limelight::lesson
