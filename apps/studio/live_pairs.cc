// Row by row: what a query sees is an interval, so no pair is looked at by itself.
#include "live_pairs.h"

#include <algorithm>

namespace limelight::studio {

std::vector<int32_t> live_pairs(const FloatView& q, const FloatView& k, const AttentionOptions& options,
                                const MapRegion& region) {
  const detail::Problem problem = detail::check_problem("map", q, k, std::nullopt, options);
  const detail::LiveRule rule = problem.live(problem.sequence(0));
  std::vector<int32_t> pairs(static_cast<size_t>(region.rows * region.columns));
  for (int64_t query = region.queries.begin; query < region.queries.end; ++query) {
    const detail::Interval live = rule(query);
    int32_t* row = &pairs[static_cast<size_t>(region.row_of(query) * region.columns)];
    for (int64_t c = 0; c < region.columns; ++c) {
      const int64_t first = region.first_key(c), end = region.first_key(c + 1);
      row[c] += static_cast<int32_t>(std::max<int64_t>(0, std::min(end, live.end) - std::max(first, live.begin)));
    }
  }
  return pairs;
}

}  // namespace limelight::studio
