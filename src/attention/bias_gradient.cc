// By key: each key block owns its columns. By row: from lse and delta, in one fixed order, summed in double.
#include "attention/bias_gradient.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace limelight::detail {
namespace {

// Place along an axis that may be broadcast.
int64_t along(const TensorView<float, 4>& view, int axis, int64_t index) {
  return view.sizes[static_cast<size_t>(axis)] == 1 ? 0 : index;
}

}  // namespace

bool sums_bias_across_heads(const Problem& problem, const AttentionGradients& gradients) {
  if (!sums_bias_by_key(gradients)) return false;
  const std::array<int64_t, 4>& sizes = gradients.dbias->sizes;
  // Packed sequences have columns of their own, unless their keys are paged.
  const bool share_columns = problem.sequences() > 1 && !problem.cu_k;
  return (sizes[0] == 1 && share_columns) || (sizes[1] == 1 && problem.groups > 1);
}

void add_bias_gradient(const TensorView<float, 4>& dbias, const RowBlock& rows, const KeyTile& tile,
                       const float* gradients) {
  const Sequence& sequence = rows.sequence();
  const int64_t step = dbias.strides[3];
  for (size_t r = 0; r < rows.rows().size(); ++r) {
    const Row& row = rows.rows()[r];
    const Interval live = rows.live(static_cast<int64_t>(r));
    const int64_t begin = std::max(live.begin, tile.first);
    const int64_t end = std::min(live.end, tile.first + tile.length);
    if (begin >= end) continue;
    float* to = &dbias(along(dbias, 0, sequence.b), along(dbias, 1, row.head),
                       along(dbias, 2, sequence.query_row(row.query)), sequence.column(begin));
    const float* from = gradients + static_cast<int64_t>(r) * kScoreStride + begin - tile.first;
    for (int64_t j = 0; j < end - begin; ++j) to[j * step] += from[j];
  }
}

void sum_row_gradients(const Problem& problem, const float* lse, const float* delta,
                       const std::optional<TensorView<const float, 3>>& dlse, const AttentionGradients& gradients) {
  const bool bias = gradients.dbias && !sums_bias_by_key(gradients);
  if (!bias && !gradients.dsinks) return;
  Tensor<double, 4> by_row;
  if (bias) by_row = Tensor<double, 4>(gradients.dbias->sizes);
  std::vector<double> by_head(static_cast<size_t>(problem.heads));
  int64_t at = 0;
  for (int64_t b = 0; b < problem.batch && problem.rows() > 0; ++b) {
    for (int64_t h = 0; h < problem.heads; ++h) {
      const double sink = problem.sink(h);
      for (int64_t i = 0; i < problem.queries; ++i, ++at) {
        if (lse[at] == -kMinusInfinity) continue;
        const double share = std::exp(sink - lse[at]) * delta[at];
        // Minus infinity is no sink: its gradient is 0, even where delta is NaN.
        if (problem.sink(h) != kMinusInfinity) by_head[static_cast<size_t>(h)] -= share;
        if (!bias) continue;
        const TensorView<float, 4>& dbias = *gradients.dbias;
        by_row(along(dbias, 0, b), along(dbias, 1, h), along(dbias, 2, i), 0) += (dlse ? (*dlse)(b, h, i) : 0) + share;
      }
    }
  }
  if (gradients.dsinks) {
    for (int64_t h = 0; h < problem.heads; ++h)
      (*gradients.dsinks)(h) = static_cast<float>(by_head[static_cast<size_t>(h)]);
  }
  if (!bias) return;
  const auto [n0, n1, n2, n3] = by_row.sizes();
  for (int64_t n = 0; n < by_row.count(); ++n) {
    (*gradients.dbias)(n / (n1 * n2), n / n2 % n1, n % n2, 0) = static_cast<float>(by_row.data()[n]);
  }
}

}  // namespace limelight::detail
