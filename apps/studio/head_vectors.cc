// Copied while the views of the layer live.
#include "head_vectors.h"

#include <cmath>
#include <span>

namespace limelight::studio {
namespace {

std::vector<float> vector_at(const TensorView<const float, 4>& all, int64_t head, int64_t token) {
  std::vector<float> vector;
  for (int64_t c = 0; c < all.sizes[3]; ++c) vector.push_back(all(0, head, token, c));
  return vector;
}

}  // namespace

HeadVectors head_vectors(const Reader& model, const Reading& reading, const std::vector<int64_t>& tokens,
                         const WatchOptions& options) {
  const int64_t layer = options.layer.value(), head = options.head.value(), heads = model.facts().heads;
  HeadVectors vectors;
  const auto start = [&](int64_t token) {
    return TokenVectors{.token = token, .piece = reading.tokens[static_cast<size_t>(token)].piece};
  };
  for (const int64_t token : tokens) vectors.queries.push_back(start(token));
  for (size_t token = 0; token < reading.ids.size(); ++token) {
    vectors.keys.push_back(start(static_cast<int64_t>(token)));
  }
  // Keys may have fewer heads than queries have: one a group.
  const auto copy = [&](const auto& seen, std::vector<float> TokenVectors::*to) {
    const int64_t group = head / (heads / seen.k.sizes[1]);
    for (TokenVectors& query : vectors.queries) query.*to = vector_at(seen.q, head, query.token);
    for (TokenVectors& key : vectors.keys) key.*to = vector_at(seen.k, group, key.token);
  };
  ReadOptions run;
  run.run = options.run;
  run.causal = causal_of(options.mask);
  run.layers = layer + 1;
  run.only = layer;
  run.projections = [&](const LayerProjection& seen) {
    if (seen.layer == layer) copy(seen, &TokenVectors::unturned);
  };
  run.observer = [&](const LayerAttention& seen) {
    if (seen.layer != layer) return;
    copy(seen, &TokenVectors::scored);
    const int64_t group = head / (heads / seen.v.sizes[1]);
    for (TokenVectors& key : vectors.keys) key.value = vector_at(seen.v, group, key.token);
    vectors.scale = seen.options.scale.value_or(1 / std::sqrt(static_cast<float>(seen.q.sizes[3])));
  };
  model.read(reading.ids, run);
  return vectors;
}

}  // namespace limelight::studio
