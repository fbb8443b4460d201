// Scores from the register-tiled product, weights from the lens.
#include "lesson/scaling.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention/scale.h"
#include "core/checks.h"
#include "core/consecutive.h"
#include "lesson/draw.h"
#include "lesson/recipe.h"
#include "lesson/row_measures.h"
#include "limelight/lens.h"
#include "limelight/nn.h"

namespace limelight::lesson {
namespace {

constexpr int64_t kQueries = 256;

double deviation(const Tensor<float, 2>& scores, float scale) {
  double sum = 0, squares = 0;
  for (int64_t n = 0; n < scores.count(); ++n) {
    const double score = double{scores.data()[n]} * double{scale};
    sum += score;
    squares += score * score;
  }
  const auto count = static_cast<double>(scores.count());
  return std::sqrt(std::max(0.0, squares / count - sum / count * (sum / count)));
}

ScoreFigures figures(const Tensor<float, 4>& q, const Tensor<float, 4>& k, const Tensor<float, 2>& scores,
                     float scale) {
  LensRequest all;
  all.rows = detail::consecutive(0, kQueries);
  AttentionOptions options;
  options.scale = scale;
  const LensResult lens = look(q, k, options, all);
  const auto keys = static_cast<size_t>(k.sizes()[2]);
  ScoreFigures mean{.deviation = deviation(scores, scale)};
  for (int64_t i = 0; i < kQueries; ++i) {
    const std::span<const float> row(&lens.rows(0, 0, i, 0), keys);
    mean.entropy += row_entropy(row) / kQueries;
    mean.largest += double{*std::max_element(row.begin(), row.end())} / kQueries;
    mean.gradient += softmax_gradient(row) / kQueries;
  }
  return mean;
}

}  // namespace

ScalingFigures scaling_figures(int64_t d_k, int64_t keys, uint64_t seed) {
  detail::check_range("scaling", "d_k", d_k, 1, 1024);
  detail::check_range("scaling", "keys", keys, 1, 256);
  const auto q = draw<4>(seed, 0, {1, 1, kQueries, d_k}), k = draw<4>(seed, 1, {1, 1, keys, d_k});
  Tensor<float, 2> scores({kQueries, keys});
  Linear(rows_of(k)).forward(rows_of(q), scores);
  return {figures(q, k, scores, detail::scale_of({}, d_k)), figures(q, k, scores, 1)};
}

}  // namespace limelight::lesson
