// An observer asks the lens for rows while q and k of a layer are at hand.
#include "light.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limelight::studio {

std::optional<Causal> causal_of(Mask mask) {
  if (mask == Mask::kModel) return std::nullopt;
  return mask == Mask::kCausal ? Causal::kBottomRight : Causal::kNone;
}

AttentionOptions tempered(const AttentionOptions& options, int64_t head_size, double temperature) {
  AttentionOptions at = options;
  if (temperature == 1) return at;
  const double scale = options.scale ? double{*options.scale} : 1 / std::sqrt(static_cast<double>(head_size));
  at.scale = static_cast<float>(scale / temperature);
  return at;
}

Light watch(const Reader& model, std::span<const int32_t> ids, std::span<const int64_t> queries,
            const WatchOptions& options) {
  Light light;
  const LensRequest request{.rows = {queries.begin(), queries.end()}};
  ReadOptions run;
  run.run = options.run;
  run.causal = causal_of(options.mask);
  run.layers = options.layer.value_or(model.facts().layers - 1) + 1;
  run.only = options.layer;
  run.observer = [&](const LayerAttention& seen) {
    light.mask = seen.options.causal;
    if (options.layer && *options.layer != seen.layer) return;
    const int64_t heads = seen.q.sizes[1];
    const AttentionOptions at = tempered(seen.options, seen.q.sizes[3], options.temperature);
    LayerLight layer{seen.layer, look(seen.q, seen.k, at, request),
                     Tensor<float, 2>({heads, static_cast<int64_t>(queries.size())})};
    for (int64_t h = 0; h < heads; ++h) {
      for (size_t r = 0; r < queries.size(); ++r) layer.lse(h, r) = seen.lse(0, h, queries[r]);
    }
    light.layers.push_back(std::move(layer));
  };
  model.read(ids, run);
  return light;
}

double link(const LayerLight& light, int64_t head, std::span<const int64_t> rows, std::span<const int64_t> keys) {
  double sum = 0;
  for (const int64_t row : rows) {
    for (const int64_t key : keys) sum += static_cast<double>(light.lens.rows(0, head, row, key));
  }
  return rows.empty() ? 0 : sum / static_cast<double>(rows.size());
}

bool blocked(const LayerLight& light, int64_t head, std::span<const int64_t> rows, std::span<const int64_t> keys) {
  return !keys.empty() && std::all_of(rows.begin(), rows.end(), [&](int64_t row) {
    return std::all_of(keys.begin(), keys.end(),
                       [&](int64_t key) { return light.lens.rows_blocked(0, head, row, key) != 0; });
  });
}

}  // namespace limelight::studio
