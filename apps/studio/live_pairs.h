// Which pairs of a layer's tokens the mask leaves, and how many of them are in each cell of a pooled map.
#pragma once

#include <cstdint>
#include <vector>

#include "attention/problem.h"

namespace limelight::studio {

// Queries and keys [begin, end) of a map, pooled to rows x columns cells: cell (floor(i rows / queries), ...).
struct MapRegion {
  detail::Interval queries, keys;
  int64_t rows = 0, columns = 0;

  bool pair_a_cell() const { return rows == queries.end - queries.begin && columns == keys.end - keys.begin; }
  int64_t row_of(int64_t query) const { return (query - queries.begin) * rows / (queries.end - queries.begin); }
  // A column's keys are those from here up to the next column's.
  int64_t first_key(int64_t column) const {
    return keys.begin + (column * (keys.end - keys.begin) + columns - 1) / columns;
  }
};

// [rows, columns], of the one sequence in q [1,H,T,D] and k [1,G,T,D].
std::vector<int32_t> live_pairs(const FloatView& q, const FloatView& k, const AttentionOptions& options,
                                const MapRegion& region);

}  // namespace limelight::studio
