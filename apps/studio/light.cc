// An observer asks the lens for rows while q and k of a layer are at hand, and folds them as they come.
#include "light.h"

#include <algorithm>
#include <utility>

#include "attention/scale.h"
#include "lesson/row_measures.h"

namespace limelight::studio {

TensorView<const float, 4> one_head(const TensorView<const float, 4>& all, int64_t head, int64_t heads) {
  const auto [batch, groups, tokens, depth] = all.sizes;
  return {all.data + head / (heads / groups) * all.strides[1], {batch, 1, tokens, depth}, all.strides};
}

Mask mask_of(std::string_view name) {
  if (name == "causal") return Mask::kCausal;
  return name == "none" ? Mask::kNone : Mask::kModel;
}

std::optional<Causal> causal_of(Mask mask) {
  if (mask == Mask::kModel) return std::nullopt;
  return mask == Mask::kCausal ? Causal::kBottomRight : Causal::kNone;
}

AttentionOptions tempered(const AttentionOptions& options, int64_t head_size, double temperature) {
  AttentionOptions at = options;
  if (temperature == 1) return at;
  at.scale = static_cast<float>(detail::scale_of<double>(options, head_size) / temperature);
  return at;
}

QueryLight unlit(const Query& query, size_t keys) {
  return {query.unit, std::vector<double>(keys), std::vector<uint8_t>(keys, 1)};
}

void fold(std::span<const float> weights, std::span<const uint8_t> blocked, QueryLight& query) {
  for (size_t key = 0; key < weights.size(); ++key) {
    query.weights[key] += static_cast<double>(weights[key]);
    query.blocked[key] &= blocked[key];
  }
  query.entropy += lesson::row_entropy(weights);
}

void finish(QueryLight& query, size_t tokens) {
  const auto count = static_cast<double>(tokens);
  for (double& weight : query.weights) weight /= count;
  query.entropy /= count;
}

HeadLight look_at_head(const LayerAttention& seen, int64_t head, std::span<const Query> queries, double temperature) {
  constexpr size_t kPairs = size_t{1} << 22;
  const int64_t heads = seen.q.sizes[1];
  const auto keys = static_cast<size_t>(seen.k.sizes[2]);
  const auto q = one_head(seen.q, head, heads), k = one_head(seen.k, head, heads);
  const AttentionOptions options = tempered(seen.options, seen.q.sizes[3], temperature);
  HeadLight light{.layer = seen.layer, .head = head, .mask = seen.options.causal};
  std::vector<std::pair<size_t, int64_t>> tokens;  // with the place of the query
  for (size_t n = 0; n < queries.size(); ++n) {
    const Query& query = queries[n];
    light.queries.push_back(unlit(query, keys));
    if (query.tokens.size() == 1) light.queries.back().lse = double{seen.lse(0, head, query.tokens[0])};
    for (const int64_t token : query.tokens) tokens.emplace_back(n, token);
  }
  const size_t most = std::max<size_t>(1, kPairs / std::max<size_t>(1, keys));
  for (size_t begin = 0; begin < tokens.size(); begin += most) {
    const std::span part = std::span(tokens).subspan(begin, std::min(most, tokens.size() - begin));
    LensRequest request;
    for (const auto& [query, token] : part) request.rows.push_back(token);
    const LensResult lens = look(q, k, options, request);
    for (size_t r = 0; r < part.size(); ++r) {
      fold({&lens.rows(0, 0, r, 0), keys}, {&lens.rows_blocked(0, 0, r, 0), keys}, light.queries[part[r].first]);
    }
  }
  for (size_t n = 0; n < queries.size(); ++n) finish(light.queries[n], queries[n].tokens.size());
  return light;
}

void watch(const Reader& model, std::span<const int32_t> ids, std::span<const Query> queries,
           const WatchOptions& options, const std::function<void(HeadLight&&)>& take) {
  ReadOptions run;
  run.run = options.run;
  run.causal = causal_of(options.mask);
  run.layers = options.layer.value_or(model.facts().layers - 1) + 1;
  run.only = options.layer;
  run.observer = [&](const LayerAttention& seen) {
    if (options.layer && *options.layer != seen.layer) return;
    for (int64_t head = 0; head < seen.q.sizes[1]; ++head) {
      if (!options.head || *options.head == head) take(look_at_head(seen, head, queries, options.temperature));
    }
  };
  model.read(ids, run);
}

double link(const QueryLight& query, std::span<const int64_t> keys) {
  double sum = 0;
  for (const int64_t key : keys) sum += query.weights[static_cast<size_t>(key)];
  return sum;
}

bool blocked(const QueryLight& query, std::span<const int64_t> keys) {
  return !keys.empty() && std::all_of(keys.begin(), keys.end(),
                                      [&](int64_t key) { return query.blocked[static_cast<size_t>(key)] != 0; });
}

}  // namespace limelight::studio
