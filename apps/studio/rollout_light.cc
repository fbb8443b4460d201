// What a token can have reached is an interval, as every layer's masks leave one.
#include "rollout_light.h"

#include <vector>

#include "limelight/rollout.h"
#include "live_pairs.h"
#include "model/steps.h"

namespace limelight::studio {
namespace {

// The masks of the layers, from the first.
using Masks = std::vector<AttentionOptions>;

std::vector<uint8_t> out_of_reach(const Masks& masks, int64_t token, int64_t tokens) {
  LiveKeys reached{token, token + 1};
  for (auto mask = masks.rbegin(); mask != masks.rend(); ++mask) {
    reached = {live_keys(*mask, reached.begin, tokens).begin, live_keys(*mask, reached.end - 1, tokens).end};
  }
  std::vector<uint8_t> blocked(static_cast<size_t>(tokens), 1);
  for (int64_t key = reached.begin; key < reached.end; ++key) blocked[static_cast<size_t>(key)] = 0;
  return blocked;
}

}  // namespace

HeadLight rollout_light(const Reader& model, std::span<const int32_t> ids, std::span<const Query> queries,
                        const WatchOptions& options) {
  const auto tokens = static_cast<int64_t>(ids.size());
  int64_t rows = 0;
  for (const Query& query : queries) rows += static_cast<int64_t>(query.tokens.size());
  detail::Steps steps(options.run, 1 + rows);
  HeadLight light{.layer = options.layer.value_or(model.facts().layers - 1), .head = kAllHeads};
  Rollout rollout;
  Masks masks;
  ReadOptions run;
  run.causal = causal_of(options.mask);
  run.layers = light.layer + 1;
  run.run = steps.next();
  run.observer = [&, keep = rollout.observer()](const LayerAttention& seen) {
    if (seen.layer > light.layer) return;
    keep(seen);
    light.mask = seen.options.causal;
    masks.push_back({.causal = seen.options.causal, .window = seen.options.window});
  };
  model.read(ids, run);
  for (const Query& query : queries) {
    QueryLight& sum = light.queries.emplace_back(unlit(query, ids.size()));
    for (const int64_t token : query.tokens) {
      fold(rollout.from(token, steps.next()), out_of_reach(masks, token, tokens), sum);
    }
    finish(sum, query.tokens.size());
  }
  return light;
}

}  // namespace limelight::studio
