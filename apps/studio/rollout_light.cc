// What a token can have reached is an interval, as every layer's masks leave one.
#include "rollout_light.h"

#include <vector>

#include "attention/problem.h"
#include "core/steps.h"
#include "limelight/rollout.h"

namespace limelight::studio {
namespace {

// What queries see in each layer, from the first.
using Rules = std::vector<detail::LiveRule>;

std::vector<uint8_t> out_of_reach(const Rules& rules, int64_t token, int64_t tokens) {
  detail::Interval reached{token, token + 1};
  for (auto rule = rules.rbegin(); rule != rules.rend(); ++rule) reached = rule->of(reached.begin, reached.end);
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
  Rules rules;
  ReadOptions run;
  run.causal = causal_of(options.mask);
  run.layers = light.layer + 1;
  run.run = steps.next();
  run.observer = [&, keep = rollout.observer()](const LayerAttention& seen) {
    if (seen.layer > light.layer) return;
    keep(seen);
    light.mask = seen.options.causal;
    const detail::Problem problem = detail::check_problem("rollout", seen.q, seen.k, std::nullopt, seen.options);
    rules.push_back(problem.live(problem.sequence(0)));
  };
  model.read(ids, run);
  for (const Query& query : queries) {
    QueryLight& sum = light.queries.emplace_back(unlit(query, ids.size()));
    for (const int64_t token : query.tokens) {
      fold(rollout.from(token, steps.next()), out_of_reach(rules, token, tokens), sum);
    }
    finish(sum, query.tokens.size());
  }
  return light;
}

}  // namespace limelight::studio
