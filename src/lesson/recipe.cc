// Every grid is the engine's: scores from its register-tiled product, weights from its lens, out from its attention.
#include "lesson/recipe.h"

#include <algorithm>
#include <cmath>

#include "attention/scale.h"
#include "core/checks.h"
#include "core/consecutive.h"
#include "lesson/row_measures.h"
#include "limelight/lens.h"
#include "limelight/nn.h"

namespace limelight::lesson {
namespace {

void check(const HeadInput& head) {
  const int64_t tokens = head.tokens(), depth = head.head_size();
  detail::check_view("recipe", "q", head.q, std::array<int64_t, 4>{1, 1, tokens, depth});
  detail::check_view("recipe", "k", head.k, std::array<int64_t, 4>{1, 1, tokens, depth});
  detail::check_view("recipe", "v", head.v, std::array<int64_t, 4>{1, 1, tokens, head.v.sizes[3]});
  detail::check_range("recipe", "tokens", tokens, 1, 4096);
}

double largest_difference(const Recipe& steps, const TensorView<const float, 4>& v) {
  double largest = 0;
  for (int64_t i = 0; i < steps.out.sizes()[0]; ++i) {
    for (int64_t e = 0; e < steps.out.sizes()[1]; ++e) {
      double sum = 0;
      for (int64_t j = 0; j < v.sizes[2]; ++j) {
        if (!steps.blocked(i, j)) sum += double{steps.weights.grid(i, j)} * double{v(0, 0, j, e)};
      }
      largest = std::max(largest, std::abs(sum - double{steps.out(i, e)}));
    }
  }
  return largest;
}

}  // namespace

TensorView<const float, 2> rows_of(const TensorView<const float, 4>& head) {
  return {head.data, {head.sizes[2], head.sizes[3]}, {head.strides[2], head.strides[3]}};
}

Weights weights_of(const HeadInput& head, const AttentionOptions& options, Tensor<uint8_t, 2>* blocked) {
  const int64_t tokens = head.tokens();
  LensRequest all;
  all.rows = detail::consecutive(0, tokens);
  const LensResult lens = look(head.q, head.k, options, all);
  Weights weights{.grid = Tensor<float, 2>({tokens, tokens}), .row_sums = {}, .entropy = {}, .gradient = {}};
  std::copy_n(lens.rows.data(), tokens * tokens, weights.grid.data());
  if (blocked != nullptr) {
    *blocked = Tensor<uint8_t, 2>({tokens, tokens});
    std::copy_n(lens.rows_blocked.data(), tokens * tokens, blocked->data());
  }
  for (int64_t i = 0; i < tokens; ++i) {
    const std::span<const float> row(&weights.grid(i, 0), static_cast<size_t>(tokens));
    weights.row_sums.push_back(row_sum(row));
    weights.entropy.push_back(row_entropy(row));
    weights.gradient.push_back(softmax_gradient(row));
  }
  return weights;
}

Scores scores_of(const HeadInput& head) {
  check(head);
  Scores steps;
  steps.scale = detail::scale_of(head.options, head.head_size());
  steps.scores = Tensor<float, 2>({head.tokens(), head.tokens()});
  Linear(rows_of(head.k)).forward(rows_of(head.q), steps.scores);
  steps.scaled = steps.scores.clone();
  std::for_each_n(steps.scaled.data(), steps.scaled.count(), [&](float& score) { score *= steps.scale; });
  return steps;
}

Recipe recipe(const HeadInput& head) {
  Recipe steps;
  static_cast<Scores&>(steps) = scores_of(head);
  const int64_t tokens = head.tokens();
  AttentionOptions unscaled = head.options;
  unscaled.scale = 1.0f;
  steps.weights = weights_of(head, head.options, &steps.blocked);
  steps.unscaled = weights_of(head, unscaled);

  Tensor<float, 4> out({1, 1, tokens, head.v.sizes[3]});
  Tensor<float, 3> lse({1, 1, tokens});
  attention(head.q, head.k, head.v, head.options, out, lse);
  steps.out = Tensor<float, 2>({tokens, head.v.sizes[3]});
  std::copy_n(out.data(), out.count(), steps.out.data());
  steps.lse.assign(lse.data(), lse.data() + tokens);
  steps.difference = largest_difference(steps, head.v);
  return steps;
}

}  // namespace limelight::lesson
