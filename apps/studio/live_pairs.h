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

  int64_t row_of(int64_t query) const { return cell(query, queries, rows); }
  int64_t column_of(int64_t key) const { return cell(key, keys, columns); }

 private:
  static int64_t cell(int64_t at, const detail::Interval& range, int64_t cells) {
    return (at - range.begin) * cells / (range.end - range.begin);
  }
};

// [rows, columns], of the one sequence in q [1,H,T,D] and k [1,G,T,D].
std::vector<int64_t> live_pairs(const FloatView& q, const FloatView& k, const AttentionOptions& options,
                                const MapRegion& region);

}  // namespace limelight::studio
