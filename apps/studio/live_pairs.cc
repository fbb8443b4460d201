// Row by row: what a query sees is an interval, so no pair is looked at by itself.
#include "live_pairs.h"

#include <algorithm>

namespace limelight::studio {

LiveKeys live_keys(const AttentionOptions& options, int64_t query, int64_t tokens) {
  const Window& window = options.window;
  LiveKeys live{0, options.causal == Causal::kNone ? tokens : query + 1};
  if (window.left >= 0) live.begin = std::max(live.begin, query - window.left);
  if (window.right >= 0) live.end = std::min(live.end, query + window.right + 1);
  return live;
}

std::vector<int64_t> live_pairs(const AttentionOptions& options, int64_t tokens, const MapRegion& region) {
  std::vector<int64_t> pairs(static_cast<size_t>(region.rows * region.columns));
  const int64_t keys = region.keys.end - region.keys.begin;
  for (int64_t query = region.queries.begin; query < region.queries.end; ++query) {
    const LiveKeys live = live_keys(options, query, tokens);
    int64_t* row = &pairs[static_cast<size_t>(region.row_of(query) * region.columns)];
    for (int64_t c = 0; c < region.columns; ++c) {
      // Keys whose cell is c: from ceil(c keys / columns) on.
      const int64_t first = region.keys.begin + (c * keys + region.columns - 1) / region.columns;
      const int64_t end = region.keys.begin + ((c + 1) * keys + region.columns - 1) / region.columns;
      row[c] += std::max<int64_t>(0, std::min(end, live.end) - std::max(first, live.begin));
    }
  }
  return pairs;
}

}  // namespace limelight::studio
