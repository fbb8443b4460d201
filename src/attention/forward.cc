// One task: pack a key tile, run the row groups over it, go on to the next; then normalise and write the rows.
#include "attention/forward.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "attention/plan.h"
#include "attention/row_block.h"
#include "core/parallel.h"
#include "core/scratch.h"

namespace limelight::detail {
namespace {

class ForwardTask {
 public:
  ForwardTask(const Problem& problem, const Kernels& kernels, const ForwardResults& results, int64_t capacity)
      : problem_(problem),
        kernels_(kernels),
        results_(results),
        keys_(problem, kernels, scratch_),
        block_(problem, kernels, capacity, scratch_),
        rows_(scratch_.take<Row>(capacity)) {
    const int64_t state = capacity + kernels.lanes;
    max_ = scratch_.take<float>(state);
    sum_ = scratch_.take<float>(state);
    if (results.entropy != nullptr) moment_ = scratch_.take<float>(state);
    if (results.out) {
      columns_ = (problem.value_size + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
      out_ = scratch_.take<float>(capacity * columns_);
      value_tile_ = scratch_.take<float>(kKeyTile * columns_);
    }
    if (results.top_weight != nullptr) {
      top_stride_ = (results.top_k + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
      top_score_ = scratch_.take<float>(capacity * top_stride_);
      top_index_ = scratch_.take<int64_t>(capacity * top_stride_);
      spare_score_ = scratch_.take<float>(results.top_k + 1);
      spare_index_ = scratch_.take<int64_t>(results.top_k + 1);
    }
  }

  void run(const Task& task) {
    begin(task);
    const Interval reach = block_.reach();
    for (int64_t first = reach.begin / kKeyTile * kKeyTile; first < reach.end; first += kKeyTile) {
      const int64_t length = std::min(kKeyTile, reach.end - first);
      const KeyTile tile = keys_.pack(task.b, task.g, first, length);
      if (results_.out) load_values(task, first, length);
      attend(tile);
    }
    for (int64_t r = 0; r < count_; ++r) finish(task.b, r);
  }

 private:
  void begin(const Task& task) {
    const int64_t heads = problem_.heads_per_group();
    count_ = 0;
    // Heads inside queries: neighbours in a row group then see nearly the same keys.
    for (int64_t i = task.begin; i < task.end; ++i) {
      for (int64_t h = 0; h < heads; ++h) rows_[count_++] = {task.g * heads + h, i};
    }
    block_.load(task.b, {rows_, static_cast<size_t>(count_)});
    const int64_t state = count_ + kernels_.lanes;
    std::fill_n(max_, state, kMinusInfinity);
    std::fill_n(sum_, state, 0.0f);
    if (moment_ != nullptr) std::fill_n(moment_, state, 0.0f);
    if (out_ != nullptr) std::fill_n(out_, count_ * columns_, 0.0f);
    if (top_score_ == nullptr) return;
    std::fill_n(top_score_, count_ * top_stride_, kMinusInfinity);
    std::fill_n(top_index_, count_ * top_stride_, int64_t{-1});
  }

  // Values in place where rows are contiguous and whole vectors long, else packed: a row stride of a multiple of 4 KiB
  // maps a tile onto few cache sets (58 % of peak against 85 %).
  void load_values(const Task& task, int64_t first, int64_t length) {
    const TensorView<const float, 4>& v = *problem_.v;
    const int64_t width = problem_.value_size;
    const float* from = &v(task.b, task.g, first, 0);
    values_ = value_tile_;
    if (v.strides[3] == 1 && v.strides[2] == width && width == columns_) {
      values_ = from;
    } else {
      for (int64_t j = 0; j < length; ++j) {
        const float* row = from + j * v.strides[2];
        float* to = value_tile_ + j * columns_;
        if (v.strides[3] == 1) {
          std::memcpy(to, row, static_cast<size_t>(width) * sizeof(float));
        } else {
          for (int64_t e = 0; e < width; ++e) to[e] = row[e * v.strides[3]];
        }
        std::fill(to + width, to + columns_, 0.0f);
      }
    }
    skip_masked_ = !kernels_.all_finite(values_, length * columns_);
  }

  void attend(const KeyTile& tile) {
    AttendGroup group;
    group.values = out_ == nullptr ? nullptr : values_;
    group.value_stride = columns_;
    group.value_columns = columns_;
    group.skip_masked = skip_masked_;
    group.first_key = tile.first;
    group.top_k = results_.top_k;
    group.top_stride = top_stride_;
    group.spare_score = spare_score_;
    group.spare_index = spare_index_;
    for (int64_t r = 0; r < count_; r += kernels_.row_group) {
      group.score = block_.scores(r, std::min(kernels_.row_group, count_ - r), tile);
      group.max = max_ + r;
      group.sum = sum_ + r;
      if (moment_ != nullptr) group.moment = moment_ + r;
      if (out_ != nullptr) group.out = out_ + r * columns_;
      if (top_score_ != nullptr) {
        group.top_score = top_score_ + r * top_stride_;
        group.top_index = top_index_ + r * top_stride_;
      }
      kernels_.attend(group);
    }
  }

  void finish(int64_t b, int64_t r) {
    const Row row = rows_[r];
    const int64_t at = (b * problem_.heads + row.head) * problem_.queries + row.query;
    const RowTotal total = total_of(max_[r], sum_[r]);
    if (results_.out) write_out(b, row, out_ + r * columns_, total.inverse_sum);
    if (results_.lse)
      (*results_.lse)(b, row.head, row.query) = total.dead ? kMinusInfinity : max_[r] + std::log(sum_[r]);
    if (results_.max != nullptr) {
      results_.max[at] = total.max;
      results_.inverse_sum[at] = total.inverse_sum;
    }
    if (moment_ != nullptr) {
      results_.entropy[at] = total.dead ? 0.0f : std::log(sum_[r]) - moment_[r] * total.inverse_sum;
    }
    if (top_score_ == nullptr) return;
    const float* scores = top_score_ + r * top_stride_;
    const int64_t* index = top_index_ + r * top_stride_;
    kernels_.weigh_scores(scores, total.max, total.inverse_sum, results_.top_k,
                          results_.top_weight + at * results_.top_k);
    std::copy_n(index, results_.top_k, results_.top_index + at * results_.top_k);
  }

  void write_out(int64_t b, const Row& row, float* sums, float inverse) {
    const TensorView<float, 4>& out = *results_.out;
    if (problem_.value_size == 0) return;
    float* to = &out(b, row.head, row.query, 0);
    if (out.strides[3] == 1) {
      kernels_.scale(sums, inverse, problem_.value_size, to);
      return;
    }
    for (int64_t e = 0; e < problem_.value_size; ++e) to[e * out.strides[3]] = sums[e] * inverse;
  }

  const Problem& problem_;
  const Kernels& kernels_;
  const ForwardResults& results_;
  Scratch scratch_;
  KeyPacker keys_;
  RowBlock block_;
  Row* rows_;
  int64_t count_ = 0;
  int64_t columns_ = 0;  // value size in whole vectors
  float* max_ = nullptr;
  float* sum_ = nullptr;
  float* moment_ = nullptr;
  float* out_ = nullptr;
  float* value_tile_ = nullptr;
  const float* values_ = nullptr;
  bool skip_masked_ = false;
  int64_t top_stride_ = 0;  // top_k in whole vectors
  float* top_score_ = nullptr;
  int64_t* top_index_ = nullptr;
  float* spare_score_ = nullptr;
  int64_t* spare_index_ = nullptr;
};

}  // namespace

void forward(const Problem& problem, const Kernels& kernels, const char* where, const ForwardResults& results) {
  const Plan plan = make_plan(problem, kernels);
  const Run run{plan.threads, problem.run.progress};
  parallel_for(static_cast<int64_t>(plan.tasks.size()), run, where, [&](int64_t index) {
    ForwardTask(problem, kernels, results, plan.block_rows).run(plan.tasks[static_cast<size_t>(index)]);
  });
}

}  // namespace limelight::detail
