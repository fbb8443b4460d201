// What is counted by key: received mass and the pooled heatmap. A task owns the keys of one tile and walks all queries.
#include <algorithm>
#include <cmath>
#include <vector>

#include "attention/lens.h"
#include "attention/plan.h"
#include "attention/row_block.h"
#include "core/parallel.h"
#include "core/rounding.h"

namespace limelight::detail {
namespace {

// Cells floor(index * side / size), and the first index of a cell.
int64_t cell_of(int64_t index, int64_t side, int64_t size) {
  return index * side / size;
}
int64_t cell_begin(int64_t cell, int64_t side, int64_t size) {
  return ceil_div(cell * size, side);
}

// Received mass is added up in float over this many queries and in double beyond: 131,072 float terms would lose
// digits.
constexpr int64_t kQueriesAChunk = 252;

// Keys [first, first + length) of a sequence, seen by head h.
struct Tile {
  int64_t sequence, h, first, length;
};

// Cells of the heatmap that one tile's keys fall in: columns [first, first + columns) of all rows.
struct TileCells {
  int64_t first = 0, columns = 0;
  std::vector<float> sum, max;  // [P, columns]
};

class ColumnTask {
 public:
  ColumnTask(const Problem& problem, const Kernels& kernels, const LensRequest& request, LensResult& result)
      : problem_(problem),
        kernels_(kernels),
        request_(request),
        result_(result),
        keys_(problem, problem.k, kernels, scratch_),
        block_(problem, kernels, kQueriesAChunk, scratch_),
        rows_(scratch_.take<Row>(kQueriesAChunk)),
        received_(scratch_.take<float>(kKeyTile)),
        total_(scratch_.take<double>(kKeyTile)),
        pool_sum_(scratch_.take<float>(kKeyTile)),
        pool_max_(scratch_.take<float>(kKeyTile)) {}

  // max and inverse_sum of the queries of head h.
  void run(const Tile& tile, const float* max, const float* inverse_sum, TileCells& cells) {
    sequence_ = problem_.sequence(tile.sequence);
    head_ = tile.h;
    tile_ = {tile.first, tile.length,
             keys_.panels(sequence_, tile.h / problem_.heads_per_group(), tile.first, tile.length)};
    max_ = max;
    inverse_sum_ = inverse_sum;
    std::fill_n(total_, kKeyTile, 0.0);
    std::fill_n(received_, kKeyTile, 0.0f);
    clear_pool();
    // In whole chunks, so that a sum has the same terms whatever the tile.
    const Interval seeing = problem_.live(sequence_).seeing(tile.first, tile.length);
    const int64_t end = std::min(sequence_.queries, round_up(seeing.end, kQueriesAChunk));
    for (int64_t begin = seeing.begin / kQueriesAChunk * kQueriesAChunk, next = 0; begin < end; begin = next) {
      const int64_t chunk_end = (begin / kQueriesAChunk + 1) * kQueriesAChunk;
      next = std::min({end, chunk_end, cell_end(begin)});
      walk(begin, next);
      if (next == chunk_end || next == end) flush_received();
      if (request_.heatmap > 0 && (next == cell_end(begin) || next == end)) pool(begin, cells);
    }
    if (!request_.received) return;
    for (int64_t j = 0; j < tile.length; ++j) {
      result_.received(problem_.key_entry(sequence_), head_, sequence_.column(tile.first + j)) =
          static_cast<float>(total_[j]);
    }
  }

 private:
  // The query after the last of `query`'s heatmap row.
  int64_t cell_end(int64_t query) const {
    if (request_.heatmap == 0) return sequence_.queries;
    const int64_t cell = cell_of(sequence_.query_row(query), request_.heatmap, problem_.queries);
    return cell_begin(cell + 1, request_.heatmap, problem_.queries) - sequence_.first_query;
  }

  void walk(int64_t begin, int64_t end) {
    const int64_t count = end - begin;
    for (int64_t r = 0; r < count; ++r) rows_[r] = {head_, begin + r};
    block_.load(sequence_, {rows_, static_cast<size_t>(count)});
    WeighGroup group;
    if (request_.received) group.received = received_;
    if (request_.heatmap > 0) {
      group.pool_sum = pool_sum_;
      group.pool_max = pool_max_;
    }
    for (int64_t r = 0; r < count; r += kernels_.row_group) {
      group.score = block_.scores(r, std::min(kernels_.row_group, count - r), tile_);
      group.max = max_ + begin + r;
      group.inverse_sum = inverse_sum_ + begin + r;
      kernels_.weigh(group);
    }
  }

  void flush_received() {
    for (int64_t j = 0; j < kKeyTile; ++j) total_[j] += received_[j];
    std::fill_n(received_, kKeyTile, 0.0f);
  }

  void clear_pool() {
    std::fill_n(pool_sum_, kKeyTile, 0.0f);
    std::fill_n(pool_max_, kKeyTile, 0.0f);
  }

  // Adds what the tile's keys received from the heatmap row of `query` to its cells.
  void pool(int64_t query, TileCells& cells) {
    const int64_t row = cell_of(sequence_.query_row(query), request_.heatmap, problem_.queries);
    const int64_t first_column = sequence_.column(tile_.first);
    int64_t j = 0;
    for (int64_t column = 0; column < cells.columns; ++column) {
      const int64_t end =
          cell_begin(cells.first + column + 1, request_.heatmap, problem_.map_columns(sequence_)) - first_column;
      const size_t at = static_cast<size_t>(row * cells.columns + column);
      const int64_t count = std::max<int64_t>(0, std::min(end, tile_.length) - j);
      kernels_.pool(pool_sum_ + j, pool_max_ + j, count, &cells.sum[at], &cells.max[at]);
      j += count;
    }
    clear_pool();
  }

  const Problem& problem_;
  const Kernels& kernels_;
  const LensRequest& request_;
  LensResult& result_;
  Scratch scratch_;
  TileLoader keys_;
  RowBlock block_;
  Sequence sequence_;
  int64_t head_ = 0;
  KeyTile tile_;
  const float* max_ = nullptr;
  const float* inverse_sum_ = nullptr;
  Row* rows_;
  float* received_;
  double* total_;
  float* pool_sum_;
  float* pool_max_;
};

TileCells cells_of(const Problem& problem, const LensRequest& request, const Tile& tile) {
  TileCells cells;
  if (request.heatmap == 0) return cells;
  const Sequence sequence = problem.sequence(tile.sequence);
  const int64_t width = problem.map_columns(sequence);
  const int64_t first = sequence.column(tile.first);
  cells.first = cell_of(first, request.heatmap, width);
  cells.columns = cell_of(first + tile.length - 1, request.heatmap, width) - cells.first + 1;
  cells.sum.assign(static_cast<size_t>(request.heatmap * cells.columns), 0.0f);
  cells.max = cells.sum;
  return cells;
}

// Neighbouring tiles may share a column of cells: added up in tile order, whoever computed them.
void merge(const LensRequest& request, int64_t b, int64_t h, const TileCells& cells, LensResult& result) {
  for (int64_t row = 0; row < request.heatmap; ++row) {
    for (int64_t column = 0; column < cells.columns; ++column) {
      const size_t at = static_cast<size_t>(row * cells.columns + column);
      float& sum = result.heatmap_sum(b, h, row, cells.first + column);
      float& max = result.heatmap_max(b, h, row, cells.first + column);
      sum += cells.sum[at];
      max = std::isnan(sum) ? sum : std::max(max, cells.max[at]);  // a maximum alone would drop a NaN
    }
  }
}

}  // namespace

void look_at_columns(const Problem& problem, const Kernels& kernels, const char* where, const LensRequest& request,
                     const float* max, const float* inverse_sum, LensResult& result) {
  if (problem.rows() == 0 || problem.keys == 0) return;
  std::vector<Tile> tiles;
  for (int64_t s = 0; s < problem.sequences(); ++s) {
    const Interval held = problem.sequence(s).held;
    for (int64_t h = 0; h < problem.heads; ++h) {
      for (int64_t first = held.begin, next = 0; first < held.end; first = next) {
        next = std::min((first / kKeyTile + 1) * kKeyTile, held.end);
        tiles.push_back({s, h, first, next - first});
      }
    }
  }
  std::vector<TileCells> cells(tiles.size());
  const Run run{threads_for(problem, live_pairs(problem)), problem.run.progress};
  parallel_for(static_cast<int64_t>(tiles.size()), run, where, [&](int64_t task) {
    const Tile& tile = tiles[static_cast<size_t>(task)];
    TileCells& mine = cells[static_cast<size_t>(task)];
    mine = cells_of(problem, request, tile);
    const Sequence sequence = problem.sequence(tile.sequence);
    const int64_t state = problem.place(sequence, tile.h, 0);
    ColumnTask(problem, kernels, request, result).run(tile, max + state, inverse_sum + state, mine);
  });
  for (size_t t = 0; t < tiles.size() && request.heatmap > 0; ++t) {
    merge(request, problem.sequence(tiles[t].sequence).b, tiles[t].h, cells[t], result);
  }
}

}  // namespace limelight::detail
