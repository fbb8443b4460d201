// A row vector times the weights of a layer is what backward gives the values: dv = P^T dout, with one column.
#include "limelight/rollout.h"

#include <string>

#include "core/checks.h"
#include "core/steps.h"
#include "limelight/backward.h"
#include "model/layer_copy.h"

namespace limelight {

AttentionObserver Rollout::observer() {
  return [this](const LayerAttention& layer) {
    if (!detail::stands_alone(layer)) {
      detail::refuse("rollout", "layer " + std::to_string(layer.layer), "one text, in one piece, without masks",
                     std::to_string(layer.q.sizes[2]) + " queries on " + std::to_string(layer.k.sizes[2]) + " keys");
    }
    if (layer.layer == 0) layers_.clear();  // another pass
    layers_.push_back(
        {detail::copy_of(layer.q), detail::copy_of(layer.k), detail::copy_of(layer.lse), detail::options_of(layer)});
  };
}

std::vector<float> Rollout::from(int64_t token, const Run& run) const {
  if (layers_.empty()) detail::refuse("rollout", "token", "a pass of a model before", "none");
  const int64_t tokens = layers_[0].q.sizes()[2];
  detail::check_range("rollout", "token", token, -tokens, tokens - 1);
  std::vector<float> row(static_cast<size_t>(tokens));
  row[static_cast<size_t>(token < 0 ? token + tokens : token)] = 1;
  detail::Steps steps(run, layers());
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) row = through(*layer, row, steps.next());
  return row;
}

std::vector<float> Rollout::through(const Layer& layer, const std::vector<float>& row, const Run& run) const {
  const int64_t heads = layer.q.sizes()[1], groups = layer.k.sizes()[1], tokens = layer.q.sizes()[2];
  const std::vector<float> zeros(static_cast<size_t>(tokens));
  // One column of values for all groups, one of gradients for all heads: strides of 0 repeat them.
  const TensorView<const float, 4> values{zeros.data(), {1, groups, tokens, 1}, {0, 0, 1, 1}};
  const TensorView<const float, 4> out{zeros.data(), {1, heads, tokens, 1}, {0, 0, 1, 1}};
  const TensorView<const float, 4> dout{row.data(), {1, heads, tokens, 1}, {0, 0, 1, 1}};
  AttentionOptions options = layer.options;
  options.run = run;
  Tensor<float, 4> received({1, groups, tokens, 1});
  attention_backward(layer.q, layer.k, values, options, out, layer.lse, dout, {.dv = received});
  std::vector<float> below(row.size());
  for (int64_t j = 0; j < tokens; ++j) {
    float sum = 0;
    for (int64_t g = 0; g < groups; ++g) sum += received(0, g, j, 0);
    below[static_cast<size_t>(j)] = 0.5f * (row[static_cast<size_t>(j)] + sum / static_cast<float>(heads));
  }
  return below;
}

}  // namespace limelight
