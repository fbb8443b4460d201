// Whole rows of chosen queries: their scores are kept, and become weights once maximum and sum are known. No other
// query is touched.
#include <algorithm>
#include <utility>

#include "attention/lens.h"
#include "attention/plan.h"
#include "attention/row_block.h"
#include "core/parallel.h"

namespace limelight::detail {
namespace {

constexpr int64_t kRowsATask = 96;

// One task: some rows of one sequence and one key/value head. slots[r] is the place of rows[r] in the request.
struct Chunk {
  int64_t sequence = 0, g = 0;
  std::vector<Row> rows;
  std::vector<int64_t> slots;
};

class RowTask {
 public:
  RowTask(const Problem& problem, const Kernels& kernels, LensResult& result, const Chunk& chunk)
      : problem_(problem),
        kernels_(kernels),
        result_(result),
        chunk_(chunk),
        sequence_(problem.sequence(chunk.sequence)),
        keys_(problem, problem.k, kernels, scratch_),
        block_(problem, kernels, kRowsATask, scratch_),
        max_(scratch_.take<float>(kRowsATask + kernels.lanes)),
        sum_(scratch_.take<float>(kRowsATask + kernels.lanes)),
        scores_(scratch_.take<float>(kernels.row_group * kScoreStride)) {}

  void run() {
    block_.load(sequence_, chunk_.rows);
    std::fill_n(max_, kRowsATask + kernels_.lanes, kMinusInfinity);
    std::fill_n(sum_, kRowsATask + kernels_.lanes, 0.0f);
    const int64_t count = static_cast<int64_t>(chunk_.rows.size());
    for (int64_t r = 0; r < count; ++r) begin_row(problem_.sink(row(r).head), max_[r], sum_[r]);
    const Interval reach = block_.reach();
    for (int64_t first = reach.begin, next = 0; first < reach.end; first = next) {
      first = std::max(first / kKeyTile * kKeyTile, sequence_.held.begin);
      next = std::min((first / kKeyTile + 1) * kKeyTile, reach.end);
      attend({first, next - first, keys_.panels(sequence_, chunk_.g, first, next - first)}, count);
    }
    for (int64_t r = 0; r < count; ++r) weigh(r);
  }

 private:
  const Row& row(int64_t r) const { return chunk_.rows[static_cast<size_t>(r)]; }

  void attend(const KeyTile& tile, int64_t count) {
    for (int64_t r = 0; r < count; r += kernels_.row_group) {
      AttendGroup group;
      group.score = block_.scores(r, std::min(kernels_.row_group, count - r), tile);
      group.max = max_ + r;
      group.sum = sum_ + r;
      group.scores = scores_;
      kernels_.attend(group);
      for (int64_t i = 0; i < group.score.rows; ++i) keep(r + i, group.score.live[i], tile, scores_ + i * kScoreStride);
    }
  }

  // A row's scores, where a key is live; elsewhere the result stays blocked.
  void keep(int64_t r, KeyInterval live, const KeyTile& tile, const float* scores) {
    const int64_t slot = chunk_.slots[static_cast<size_t>(r)];
    for (int64_t j = live.begin; j < live.end; ++j) {
      if (scores[j] == kMinusInfinity) continue;
      const int64_t column = sequence_.column(tile.first + j);
      result_.rows(sequence_.b, row(r).head, slot, column) = scores[j];
      result_.rows_blocked(sequence_.b, row(r).head, slot, column) = 0;
    }
  }

  // A row's scores become weights; what is blocked gets 0.
  void weigh(int64_t r) {
    const int64_t count = sequence_.held.end - sequence_.held.begin;
    if (count == 0) return;
    const int64_t slot = chunk_.slots[static_cast<size_t>(r)];
    const int64_t column = sequence_.column(sequence_.held.begin);
    float* weights = &result_.rows(sequence_.b, row(r).head, slot, column);
    const uint8_t* blocked = &result_.rows_blocked(sequence_.b, row(r).head, slot, column);
    const RowTotal total = total_of(max_[r], sum_[r]);
    kernels_.weigh_scores(weights, total.max, total.inverse_sum, count, weights);
    for (int64_t j = 0; j < count; ++j) {
      if (blocked[j] != 0) weights[j] = 0;
    }
  }

  const Problem& problem_;
  const Kernels& kernels_;
  LensResult& result_;
  const Chunk& chunk_;
  Sequence sequence_;
  Scratch scratch_;
  TileLoader keys_;
  RowBlock block_;
  float* max_;
  float* sum_;
  float* scores_;
};

// The requested rows that stand in a sequence, for every key/value head; heads inside queries as in the forward pass.
void add_chunks(const Problem& problem, const LensRequest& request, const Sequence& sequence,
                std::vector<Chunk>& chunks) {
  const int64_t heads = problem.heads_per_group();
  for (int64_t g = 0; g < problem.groups; ++g) {
    Chunk chunk{sequence.index, g, {}, {}};
    for (size_t slot = 0; slot < request.rows.size(); ++slot) {
      const int64_t query = request.rows[slot] - sequence.first_query;
      if (query < 0 || query >= sequence.queries) continue;
      for (int64_t h = 0; h < heads; ++h) {
        if (static_cast<int64_t>(chunk.rows.size()) == kRowsATask) {
          chunks.push_back(std::exchange(chunk, Chunk{sequence.index, g, {}, {}}));
        }
        chunk.rows.push_back({g * heads + h, query});
        chunk.slots.push_back(static_cast<int64_t>(slot));
      }
    }
    if (!chunk.rows.empty()) chunks.push_back(std::move(chunk));
  }
}

}  // namespace

void look_at_rows(const Problem& problem, const Kernels& kernels, const char* where, const LensRequest& request,
                  LensResult& result) {
  const int64_t count = static_cast<int64_t>(request.rows.size());
  if (count == 0) return;
  const std::array<int64_t, 4> sizes{problem.batch, problem.heads, count, problem.keys};
  result.rows = Tensor<float, 4>(sizes);
  result.rows_blocked = Tensor<uint8_t, 4>(sizes);
  if (result.rows.count() == 0) return;
  std::fill_n(result.rows_blocked.data(), result.rows_blocked.count(), uint8_t{1});  // until a live key is written
  std::vector<Chunk> chunks;
  for (int64_t s = 0; s < problem.sequences(); ++s) add_chunks(problem, request, problem.sequence(s), chunks);
  const Run run{threads_for(problem, live_pairs(problem)), problem.run.progress};
  parallel_for(static_cast<int64_t>(chunks.size()), run, where,
               [&](int64_t index) { RowTask(problem, kernels, result, chunks[static_cast<size_t>(index)]).run(); });
}

}  // namespace limelight::detail
