// Whole rows of chosen queries: their scores are kept, and become weights once maximum and sum are known. No other
// query is touched.
#include <algorithm>
#include <limits>

#include "attention/lens.h"
#include "attention/row_block.h"
#include "core/parallel.h"

namespace limelight::detail {
namespace {

constexpr int64_t kRowsATask = 96;

// One task: some rows of one batch entry and one key/value head.
class RowTask {
 public:
  RowTask(const Problem& problem, const Kernels& kernels, LensResult& result)
      : problem_(problem),
        kernels_(kernels),
        result_(result),
        keys_(problem, kernels, scratch_),
        block_(problem, kernels, kRowsATask, scratch_),
        max_(scratch_.take<float>(kRowsATask + kernels.lanes)),
        sum_(scratch_.take<float>(kRowsATask + kernels.lanes)),
        scores_(scratch_.take<float>(kernels.row_group * kKeyTile)) {}

  // slots[r] is the place of rows[r] in the request.
  void run(int64_t b, int64_t g, std::span<const Row> rows, std::span<const int64_t> slots) {
    block_.load(b, rows);
    std::fill_n(max_, kRowsATask + kernels_.lanes, kMinusInfinity);
    std::fill_n(sum_, kRowsATask + kernels_.lanes, 0.0f);
    const Interval reach = block_.reach();
    const int64_t count = static_cast<int64_t>(rows.size());
    for (int64_t first = reach.begin / kKeyTile * kKeyTile; first < reach.end; first += kKeyTile) {
      const KeyTile tile = keys_.pack(b, g, first, std::min(kKeyTile, reach.end - first));
      for (int64_t r = 0; r < count; r += kernels_.row_group) {
        AttendGroup group;
        group.score = block_.scores(r, std::min(kernels_.row_group, count - r), tile);
        group.max = max_ + r;
        group.sum = sum_ + r;
        group.scores = scores_;
        kernels_.attend(group);
        for (int64_t i = 0; i < group.score.rows; ++i) {
          keep(rows[static_cast<size_t>(r + i)], slots[static_cast<size_t>(r + i)], group.score.live[i], tile, i);
        }
      }
    }
    for (size_t r = 0; r < rows.size(); ++r) weigh(b, rows[r], slots[r], max_[r], sum_[r]);
  }

 private:
  // Row i of the group's scores, where a key is live; elsewhere the result stays blocked.
  void keep(const Row& row, int64_t slot, KeyInterval live, const KeyTile& tile, int64_t i) {
    for (int64_t j = live.begin; j < live.end; ++j) {
      const float score = scores_[i * kKeyTile + j];
      if (score == kMinusInfinity) continue;
      result_.rows(tile.b, row.head, slot, tile.first + j) = score;
      result_.rows_blocked(tile.b, row.head, slot, tile.first + j) = 0;
    }
  }

  // A row's scores become weights; what is blocked gets 0.
  void weigh(int64_t b, const Row& row, int64_t slot, float max, float sum) {
    if (problem_.keys == 0) return;
    float* weights = &result_.rows(b, row.head, slot, 0);
    const uint8_t* blocked = &result_.rows_blocked(b, row.head, slot, 0);
    const RowTotal total = total_of(max, sum);
    kernels_.weigh_scores(weights, total.max, total.inverse_sum, problem_.keys, weights);
    for (int64_t j = 0; j < problem_.keys; ++j) {
      if (blocked[j] != 0) weights[j] = 0;
    }
  }

  const Problem& problem_;
  const Kernels& kernels_;
  LensResult& result_;
  Scratch scratch_;
  KeyPacker keys_;
  RowBlock block_;
  float* max_;
  float* sum_;
  float* scores_;
};

}  // namespace

void look_at_rows(const Problem& problem, const Kernels& kernels, const char* where, const LensRequest& request,
                  LensResult& result) {
  const int64_t count = static_cast<int64_t>(request.rows.size());
  if (count == 0) return;
  const std::array<int64_t, 4> sizes{problem.batch, problem.heads, count, problem.keys};
  result.rows = Tensor<float, 4>(sizes);
  result.rows_blocked = Tensor<uint8_t, 4>(sizes);
  std::fill_n(result.rows_blocked.data(), result.rows_blocked.count(), uint8_t{1});  // until a live key is written
  // The rows of a group in chunks, heads inside queries as in the forward pass.
  const int64_t heads = problem.heads_per_group();
  std::vector<Row> rows;
  std::vector<int64_t> slots;
  for (int64_t slot = 0; slot < count; ++slot) {
    for (int64_t h = 0; h < heads; ++h) {
      rows.push_back({h, request.rows[static_cast<size_t>(slot)]});
      slots.push_back(slot);
    }
  }
  const int64_t all = static_cast<int64_t>(rows.size());
  const int64_t chunks = (all + kRowsATask - 1) / kRowsATask;
  parallel_for(problem.batch * problem.groups * chunks, problem.run, where, [&](int64_t task) {
    const int64_t b = task / chunks / problem.groups, g = task / chunks % problem.groups;
    const int64_t begin = task % chunks * kRowsATask, end = std::min(all, begin + kRowsATask);
    std::vector<Row> mine(rows.begin() + begin, rows.begin() + end);
    for (Row& row : mine) row.head += g * heads;
    RowTask(problem, kernels, result)
        .run(b, g, mine, std::span(slots).subspan(static_cast<size_t>(begin), mine.size()));
  });
}

}  // namespace limelight::detail
