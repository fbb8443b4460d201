// Per-tile partials kept, and folded in ascending order into the bits of one call.
#include <algorithm>
#include <cmath>
#include <string>

#include "attention/forward.h"
#include "attention/key_tile.h"
#include "attention/plan.h"
#include "attention/row_block.h"
#include "core/checks.h"
#include "limelight/merge.h"

namespace limelight {
namespace {

using detail::kKeyTile;
using detail::kMinusInfinity;

// Consecutive tiles of the same rows.
void check_parts(std::span<const TilePartials> parts) {
  if (parts.empty()) detail::refuse("merge", "parts", "at least one", "none");
  const std::array<int64_t, 4>& sizes = parts[0].sizes;
  const int64_t rows = sizes[0] * sizes[1] * sizes[2];
  for (size_t p = 0; p < parts.size(); ++p) {
    const std::string name = "parts[" + std::to_string(p) + "]";
    const int64_t tiles = parts[p].max.sizes()[1];
    detail::check_sizes("merge", name + ".sizes", sizes, parts[p].sizes);
    detail::check_sizes("merge", name + ".max", std::array{rows, int64_t{-1}}, parts[p].max.sizes());
    detail::check_sizes("merge", name + ".sum", std::array{rows, tiles}, parts[p].sum.sizes());
    detail::check_sizes("merge", name + ".values", std::array{rows, tiles, sizes[3]}, parts[p].values.sizes());
    const int64_t expected = p == 0 ? parts[0].first_tile : parts[p - 1].first_tile + parts[p - 1].max.sizes()[1];
    detail::check_range("merge", name + ".first_tile", parts[p].first_tile, expected, expected);
  }
}

// One row: its state, and a tile's values in whole vectors.
struct FoldedRow {
  std::vector<float> max, sum, values, tile;

  FoldedRow(int64_t lanes, int64_t columns)
      : max(static_cast<size_t>(1 + lanes)), sum(max), values(static_cast<size_t>(columns)), tile(values) {}
};

}  // namespace

TilePartials attention_partials(FloatView q, FloatView k, FloatView v, const AttentionOptions& options) {
  const char* where = "attention_partials";
  const detail::Problem p = detail::check_problem(where, q, k, v, options);
  if (p.sinks) detail::refuse(where, "sinks", "none: they take part in the merge", "a view");
  if (p.key_lengths || p.cu_q || p.block_table) {
    detail::refuse(where, "options", "one length of keys", "key_lengths, cu_q or block_table");
  }
  const int64_t first = p.part ? p.part->first : 0;
  if (first % kKeyTile != 0) detail::refuse(where, "part.first", "a multiple of 512", std::to_string(first));
  const int64_t rows = p.rows();
  const int64_t tiles = detail::ceil_div(p.keys, kKeyTile);
  TilePartials result{{p.batch, p.heads, p.queries, p.value_size},
                      first / kKeyTile,
                      Tensor<float, 2>({rows, tiles}),
                      Tensor<float, 2>({rows, tiles}),
                      Tensor<float, 3>({rows, tiles, p.value_size})};
  std::fill_n(result.max.data(), result.max.count(), kMinusInfinity);
  const detail::PartialStore store{result.first_tile, tiles,   result.max.data(),
                                   result.sum.data(), nullptr, result.values.data()};
  detail::forward_partials(p, detail::active_kernels(), where, store);
  return result;
}

AttentionResult merge(std::span<const TilePartials> parts, std::optional<TensorView<const float, 1>> sinks) {
  check_parts(parts);
  const auto [batch, heads, queries, width] = parts[0].sizes;
  if (sinks) detail::check_sinks("merge", *sinks, heads);
  const detail::Kernels& kernels = detail::active_kernels();
  AttentionResult result{Tensor<float, 4>(parts[0].sizes), Tensor<float, 3>({batch, heads, queries})};
  if (result.lse.count() == 0) return result;
  FoldedRow row(kernels.lanes, detail::round_up(width, kernels.lanes));
  const int64_t columns = static_cast<int64_t>(row.values.size());
  for (int64_t r = 0; r < result.lse.count(); ++r) {
    detail::begin_row(sinks ? (*sinks)(r / queries % heads) : kMinusInfinity, row.max[0], row.sum[0]);
    std::fill(row.values.begin(), row.values.end(), 0.0f);
    for (const TilePartials& part : parts) {
      for (int64_t t = 0; t < part.max.sizes()[1]; ++t) {
        std::copy_n(part.values.data() + (r * part.max.sizes()[1] + t) * width, width, row.tile.data());
        kernels.fold({1, columns, &part.max(r, t), &part.sum(r, t), nullptr, row.tile.data(), row.max.data(),
                      row.sum.data(), nullptr, row.values.data()});
      }
    }
    const detail::RowTotal total = detail::total_of(row.max[0], row.sum[0]);
    result.lse.data()[r] = total.dead ? kMinusInfinity : row.max[0] + std::log(row.sum[0]);
    kernels.scale(row.values.data(), total.inverse_sum, width, result.out.data() + r * width);
  }
  return result;
}

}  // namespace limelight
