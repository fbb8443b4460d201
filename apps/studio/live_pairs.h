// Which pairs of a layer's tokens the mask leaves, and how many of them are in each cell of a pooled map.
#pragma once

#include <cstdint>
#include <vector>

#include "limelight/attention.h"

namespace limelight::studio {

// Keys [begin, end) that a query of T tokens sees, under the masks a kept layer may have: causal and window.
struct LiveKeys {
  int64_t begin = 0;
  int64_t end = 0;
};
LiveKeys live_keys(const AttentionOptions& options, int64_t query, int64_t tokens);

// Queries and keys [begin, end) of a map, pooled to rows x columns cells: cell (floor(i rows / queries), ...).
struct MapRegion {
  LiveKeys queries, keys;
  int64_t rows = 0, columns = 0;

  int64_t row_of(int64_t query) const { return cell(query, queries, rows); }
  int64_t column_of(int64_t key) const { return cell(key, keys, columns); }

 private:
  static int64_t cell(int64_t at, const LiveKeys& range, int64_t cells) {
    return (at - range.begin) * cells / (range.end - range.begin);
  }
};

// [rows, columns]
std::vector<int64_t> live_pairs(const AttentionOptions& options, int64_t tokens, const MapRegion& region);

}  // namespace limelight::studio
