// State of the rows: maximum, sum and unnormalised output, and for the lens the moment and the strongest keys.
#include "attention/forward_task.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace limelight::detail {

ForwardTask::ForwardTask(const Problem& problem, const Kernels& kernels, const ForwardResults& results,
                         const Task& task, int64_t capacity)
    : problem_(problem),
      kernels_(kernels),
      results_(results),
      keys_(problem, problem_.k, kernels, scratch_),
      block_(problem, kernels, capacity, scratch_),
      rows_(scratch_.take<Row>(capacity)) {
  const int64_t state = capacity + kernels.lanes;
  max_ = scratch_.take<float>(state);
  sum_ = scratch_.take<float>(state);
  if (results.entropy != nullptr) moment_ = scratch_.take<float>(state);
  if (results.out) {
    values_.emplace(problem, *problem_.v, kernels, scratch_);
    columns_ = values_->width();
    out_ = scratch_.take<float>(capacity * columns_);
  }
  if (results.top_weight != nullptr) {
    top_stride_ = round_up(results.top_k, kernels.lanes);
    top_score_ = scratch_.take<float>(capacity * top_stride_);
    top_index_ = scratch_.take<int64_t>(capacity * top_stride_);
    spare_score_ = scratch_.take<float>(results.top_k + 1);
    spare_index_ = scratch_.take<int64_t>(results.top_k + 1);
  }
  begin(task);
}

void ForwardTask::begin(const Task& task) {
  sequence_ = problem_.sequence(task.sequence);
  g_ = task.g;
  const int64_t heads = problem_.heads_per_group();
  // Heads inside queries: neighbours in a row group then see nearly the same keys.
  for (int64_t i = task.begin; i < task.end; ++i) {
    for (int64_t h = 0; h < heads; ++h) rows_[count_++] = {g_ * heads + h, i};
  }
  block_.load(sequence_, {rows_, static_cast<size_t>(count_)});
  begin_state();
  for (int64_t r = 0; r < count_; ++r) begin_row(problem_.sink(rows_[r].head), max_[r], sum_[r]);
}

void ForwardTask::begin_state() {
  const int64_t state = count_ + kernels_.lanes;
  std::fill_n(max_, state, kMinusInfinity);
  std::fill_n(sum_, state, 0.0f);
  if (moment_ != nullptr) std::fill_n(moment_, state, 0.0f);
  if (out_ != nullptr) std::fill_n(out_, count_ * columns_, 0.0f);
  if (top_score_ == nullptr) return;
  std::fill_n(top_score_, count_ * top_stride_, kMinusInfinity);
  std::fill_n(top_index_, count_ * top_stride_, int64_t{-1});
}

void ForwardTask::attend(int64_t begin, int64_t end) {
  for (int64_t tile = begin; tile < end; ++tile) attend_tile(tile);
}

void ForwardTask::attend(int64_t begin, int64_t end, const PartialStore& store) {
  for (int64_t tile = begin; tile < end; ++tile) {
    begin_state();
    attend_tile(tile);
    for (int64_t r = 0; r < count_; ++r) {
      const int64_t at = place(rows_[r]) * store.tiles + tile - store.first_tile;
      store.max[at] = max_[r];
      store.sum[at] = sum_[r];
      if (moment_ != nullptr) store.moment[at] = moment_[r];
      if (out_ != nullptr)
        std::copy_n(out_ + r * columns_, problem_.value_size, store.values + at * problem_.value_size);
    }
  }
}

void ForwardTask::fold(int64_t begin, int64_t end, const PartialStore& store) {
  float* values = out_ == nullptr ? nullptr : scratch_.take<float>(columns_);
  if (values != nullptr) std::fill_n(values, columns_, 0.0f);
  for (int64_t r = 0; r < count_; ++r) {
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t at = place(rows_[r]) * store.tiles + tile - store.first_tile;
      if (values != nullptr) std::copy_n(store.values + at * problem_.value_size, problem_.value_size, values);
      FoldGroup group{1,      columns_, store.max + at, store.sum + at, nullptr,
                      values, max_ + r, sum_ + r,       nullptr,        nullptr};
      if (moment_ != nullptr) {
        group.tile_moment = store.moment + at;
        group.moment = moment_ + r;
      }
      if (out_ != nullptr) group.out = out_ + r * columns_;
      kernels_.fold(group);
    }
  }
}

void ForwardTask::attend_tile(int64_t tile) {
  const int64_t first = std::max(tile * kKeyTile, sequence_.held.begin);
  const int64_t length = std::min((tile + 1) * kKeyTile, block_.reach().end) - first;
  if (length <= 0) return;
  const bool few = count_ <= kFewRows && values_;
  const float* products = few ? multiply_by_panel(first, length) : nullptr;
  const KeyTile keys{first, length, few ? nullptr : keys_.panels(sequence_, g_, first, length)};
  AttendGroup group;
  if (few) group.ahead = keys_.ahead(sequence_, g_, first + length);
  if (values_) {
    const TileRows values = values_->rows(sequence_, g_, first, length);
    group.values = values.data;
    group.value_stride = values.stride;
    group.value_columns = columns_;
  }
  group.first_key = first;
  group.top_k = results_.top_k;
  group.top_stride = top_stride_;
  group.spare_score = spare_score_;
  group.spare_index = spare_index_;
  for (int64_t r = 0; r < count_; r += kernels_.row_group) {
    group.score = block_.scores(r, std::min(kernels_.row_group, count_ - r), keys);
    if (few) group.score.products = products + r * kScoreStride;
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

// q k^T of few rows: they are done with a panel sooner than the memory gives the next one, so each is multiplied while
// it is in the nearest cache, and the keys further on and the values of the same keys are asked for meanwhile.
const float* ForwardTask::multiply_by_panel(int64_t first, int64_t length) {
  constexpr int64_t kAhead = 128;
  if (products_ == nullptr) products_ = scratch_.take<float>(round_up(count_, kernels_.row_group) * kScoreStride);
  for (int64_t n = 0; n < length; n += kernels_.panel) {
    const int64_t count = std::min(kernels_.panel, length - n);
    const std::array ahead{keys_.ahead(sequence_, g_, first + n + kAhead), values_->ahead(sequence_, g_, first + n)};
    const float* panel = keys_.panels(sequence_, g_, first + n, count, ahead);
    kernels_.product(block_.queries(), block_.width(), count_, panel, problem_.head_size, kernels_.panel, nullptr,
                     products_ + n, kScoreStride);
  }
  return products_;
}

int64_t ForwardTask::place(const Row& row) const {
  return (sequence_.b * problem_.heads + row.head) * problem_.queries + sequence_.query_row(row.query);
}

void ForwardTask::finish() {
  for (int64_t r = 0; r < count_; ++r) finish_row(r);
}

void ForwardTask::finish_row(int64_t r) {
  const Row row = rows_[r];
  const int64_t at = place(row);
  const RowTotal total = total_of(max_[r], sum_[r]);
  const float log_sum = total.dead || (!results_.lse && moment_ == nullptr) ? 0 : std::log(sum_[r]);
  if (results_.out) write_out(row, out_ + r * columns_, total.inverse_sum);
  if (results_.lse) {
    (*results_.lse)(sequence_.b, row.head, sequence_.query_row(row.query)) =
        total.dead ? kMinusInfinity : max_[r] + log_sum;
  }
  if (results_.max != nullptr) {
    results_.max[at] = total.max;
    results_.inverse_sum[at] = total.inverse_sum;
  }
  const float sink = problem_.sink(row.head);
  float share = 0;
  if (sink != kMinusInfinity) kernels_.weigh_scores(&sink, total.max, total.inverse_sum, 1, &share);
  if (results_.sink_share != nullptr) results_.sink_share[at] = share;
  if (moment_ != nullptr) {
    results_.entropy[at] = total.dead ? 0.0f : log_sum - moment_[r] * total.inverse_sum;
    // The sink's own term of the sum is taken out again.
    if (share > 0) results_.entropy[at] += share * (sink - max_[r] - log_sum);
  }
  if (top_score_ != nullptr) write_top(r, total);
}

void ForwardTask::write_top(int64_t r, const RowTotal& total) {
  const int64_t at = place(rows_[r]) * results_.top_k;
  kernels_.weigh_scores(top_score_ + r * top_stride_, total.max, total.inverse_sum, results_.top_k,
                        results_.top_weight + at);
  for (int64_t n = 0; n < results_.top_k; ++n) {
    const int64_t key = top_index_[r * top_stride_ + n];
    results_.top_index[at + n] = key < 0 ? -1 : sequence_.column(key);
  }
}

void ForwardTask::write_out(const Row& row, float* sums, float inverse) {
  if (problem_.value_size == 0) return;
  const FloatOutput& out = *results_.out;
  void* to = out.at(sequence_.b, row.head, sequence_.query_row(row.query), 0);
  store_row(kernels_, sums, inverse, problem_.value_size, out.strides[3], out.storage, to);
}

}  // namespace limelight::detail
