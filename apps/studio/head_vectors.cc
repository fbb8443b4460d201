// Copied while the views of the layer live.
#include "head_vectors.h"

#include "attention/scale.h"

namespace limelight::studio {
namespace {

std::vector<float> vector_at(const TensorView<const float, 4>& head, int64_t token) {
  std::vector<float> vector;
  for (int64_t c = 0; c < head.sizes[3]; ++c) vector.push_back(head(0, 0, token, c));
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
  const auto copy = [&](const TensorView<const float, 4>& all, std::vector<TokenVectors>& side,
                        std::vector<float> TokenVectors::*to) {
    const auto from = one_head(all, head, heads);
    for (TokenVectors& vector : side) vector.*to = vector_at(from, vector.token);
  };
  ReadOptions run;
  run.run = options.run;
  run.causal = causal_of(options.mask);
  run.layers = layer + 1;
  run.only = layer;
  run.projections = [&](const LayerProjection& seen) {
    if (seen.layer != layer) return;
    copy(seen.q, vectors.queries, &TokenVectors::before_rope);
    copy(seen.k, vectors.keys, &TokenVectors::before_rope);
  };
  run.observer = [&](const LayerAttention& seen) {
    if (seen.layer != layer) return;
    copy(seen.q, vectors.queries, &TokenVectors::query_or_key);
    copy(seen.k, vectors.keys, &TokenVectors::query_or_key);
    copy(seen.v, vectors.keys, &TokenVectors::value);
    vectors.scale = detail::scale_of(seen.options, seen.q.sizes[3]);
  };
  model.read(reading.ids, run);
  return vectors;
}

}  // namespace limelight::studio
