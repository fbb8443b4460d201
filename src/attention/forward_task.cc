// State of the rows: maximum, sum and unnormalised output, and for the lens the moment and the strongest keys.
#include "attention/forward_task.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/rounding.h"

namespace limelight::detail {

ForwardTask::ForwardTask(const Problem& problem, const Kernels& kernels, const ForwardResults& results,
                         const Task& task, int64_t capacity, float value_factor)
    : problem_(problem),
      kernels_(kernels),
      results_(results),
      task_(task),
      out_factor_(1 / value_factor),
      keys_(problem, problem_.k, kernels, scratch_),
      block_(problem, kernels, capacity, scratch_),
      rows_(scratch_.take<Row>(capacity)) {
  if (problem.v) {
    values_.emplace(problem, *problem_.v, kernels, scratch_, value_factor);
    columns_ = values_->width();
  }
  state_ = take_state(capacity);
  if (results.top_weight != nullptr) {
    top_stride_ = round_up(results.top_k, kernels.lanes);
    top_score_ = scratch_.take<float>(capacity * top_stride_);
    top_index_ = scratch_.take<int64_t>(capacity * top_stride_);
    spare_score_ = scratch_.take<float>(results.top_k + 1);
    spare_index_ = scratch_.take<int64_t>(results.top_k + 1);
  }
  begin();
}

void ForwardTask::begin() {
  sequence_ = problem_.sequence(task_.sequence);
  g_ = task_.g;
  const int64_t heads = problem_.heads_per_group();
  // Heads inside queries: neighbours in a row group then see nearly the same keys.
  for (int64_t i = task_.begin; i < task_.end; ++i) {
    for (int64_t h = 0; h < heads; ++h) rows_[count_++] = {g_ * heads + h, i};
  }
  block_.load(sequence_, {rows_, static_cast<size_t>(count_)});
  if (few(count_, sequence_.held.end - sequence_.held.begin)) {
    tile_ = take_state(count_);
    weights_ = scratch_.take<float>(round_up(count_, kernels_.row_group) * kScoreStride);
  }
  clear(state_);
  for (int64_t r = 0; problem_.sinks && r < count_; ++r) {
    begin_row(problem_.sink(rows_[r].head), state_.max[r], state_.sum[r]);
  }
  if (top_score_ == nullptr) return;
  std::fill_n(top_score_, count_ * top_stride_, kMinusInfinity);
  std::fill_n(top_index_, count_ * top_stride_, int64_t{-1});
}

RowState ForwardTask::take_state(int64_t capacity) {
  const int64_t rows = capacity + kernels_.lanes;
  RowState state{scratch_.take<float>(rows), scratch_.take<float>(rows), nullptr, nullptr};
  if (results_.entropy != nullptr) state.moment = scratch_.take<float>(rows);
  if (values_) state.out = scratch_.take<float>(capacity * columns_);
  return state;
}

void ForwardTask::clear(const RowState& state) {
  const int64_t rows = count_ + kernels_.lanes;
  std::fill_n(state.max, rows, kMinusInfinity);
  std::fill_n(state.sum, rows, 0.0f);
  if (state.moment != nullptr) std::fill_n(state.moment, rows, 0.0f);
  if (state.out != nullptr) std::fill_n(state.out, count_ * columns_, 0.0f);
}

void ForwardTask::attend(int64_t begin, int64_t end, const Task* next) {
  for (int64_t tile = begin; tile < end; ++tile) {
    if (weights_ == nullptr) {
      attend_tile(tile, state_, tile + 1 < end ? ahead(sequence_, g_, tile + 1) : ahead(next));
      continue;
    }
    clear(tile_);
    attend_tile(tile, tile_);
    fold(tile_);
  }
}

void ForwardTask::attend(int64_t begin, int64_t end, const PartialStore& store) {
  for (int64_t tile = begin; tile < end; ++tile) {
    clear(state_);
    attend_tile(tile, state_);
    for (int64_t r = 0; r < count_; ++r) {
      const int64_t at = place(rows_[r]) * store.tiles + tile - store.first_tile;
      store.max[at] = state_.max[r];
      store.sum[at] = state_.sum[r];
      if (state_.moment != nullptr) store.moment[at] = state_.moment[r];
      if (state_.out == nullptr) continue;
      std::copy_n(state_.out + r * columns_, problem_.value_size, store.values + at * problem_.value_size);
    }
  }
}

void ForwardTask::fold(int64_t begin, int64_t end, const PartialStore& store) {
  const RowState partial = take_state(count_);
  clear(partial);
  for (int64_t tile = begin; tile < end; ++tile) {
    for (int64_t r = 0; r < count_; ++r) {
      const int64_t at = place(rows_[r]) * store.tiles + tile - store.first_tile;
      partial.max[r] = store.max[at];
      partial.sum[r] = store.sum[at];
      if (partial.moment != nullptr) partial.moment[r] = store.moment[at];
      if (partial.out == nullptr) continue;
      std::copy_n(store.values + at * problem_.value_size, problem_.value_size, partial.out + r * columns_);
    }
    fold(partial);
  }
}

void ForwardTask::fold(const RowState& partial) {
  for (int64_t r = 0; r < count_; r += kernels_.row_group) {
    FoldGroup group;
    group.rows = std::min(kernels_.row_group, count_ - r);
    group.columns = columns_;
    group.tile_max = partial.max + r;
    group.tile_sum = partial.sum + r;
    group.max = state_.max + r;
    group.sum = state_.sum + r;
    if (partial.moment != nullptr) {
      group.tile_moment = partial.moment + r;
      group.moment = state_.moment + r;
    }
    if (partial.out != nullptr) {
      group.tile_out = partial.out + r * columns_;
      group.out = state_.out + r * columns_;
    }
    kernels_.fold(group);
  }
}

// Fewer rows are done too soon for that to pay: 8 heads of T 1024 gain 1.4 points of peak by it, of T 128 they lose 2.
TileAhead ForwardTask::ahead(const Sequence& sequence, int64_t g, int64_t tile) const {
  constexpr int64_t kFewest = 512;
  if (count_ < kFewest) return {};
  const int64_t first = std::max(tile * kKeyTile, sequence.held.begin);
  TileAhead ahead{keys_.ahead(sequence, g, first, kKeyTile), {}};
  if (values_) ahead.values = values_->ahead(sequence, g, first, kKeyTile);
  return ahead;
}

TileAhead ForwardTask::ahead(const Task* next) const {
  if (next == nullptr) return {};
  return ahead(problem_.sequence(next->sequence), next->g, tiles_of(problem_, *next).begin);
}

void ForwardTask::attend_tile(int64_t tile, const RowState& state, const TileAhead& ahead) {
  const int64_t first = std::max(tile * kKeyTile, sequence_.held.begin);
  const int64_t length = std::min((tile + 1) * kKeyTile, block_.reach().end) - first;
  if (length <= 0) return;
  const bool few = weights_ != nullptr;
  if (few) multiply_keys(first, length);
  const KeyTile keys{first, length, few ? nullptr : keys_.panels(sequence_, g_, first, length)};
  AttendGroup group;
  if (values_ && !few) {
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
  // Groups of nearly equal size: 128 rows as 18 of 6 and 4 of 5, for one of 2 takes more than its share of the time.
  const int64_t groups = ceil_div(count_, kernels_.row_group);
  LineCursor next_keys(ahead.keys), next_values(ahead.values);
  const int64_t key_lines = ceil_div(next_keys.lines_of(ahead.keys.count), groups);
  const int64_t value_lines = ceil_div(next_values.lines_of(ahead.values.count), groups);
  for (int64_t n = 0, r = 0, next = 0; n < groups; ++n, r = next) {
    next = part_begin(count_, groups, n + 1);
    group.score = block_.scores(r, next - r, keys);
    if (few) group.score.products = group.weights = weights_ + r * kScoreStride;
    group.max = state.max + r;
    group.sum = state.sum + r;
    if (state.moment != nullptr) group.moment = state.moment + r;
    if (state.out != nullptr) group.out = state.out + r * columns_;
    if (top_score_ != nullptr) {
      group.top_score = top_score_ + r * top_stride_;
      group.top_index = top_index_ + r * top_stride_;
    }
    next_keys.fetch(key_lines);
    next_values.fetch(value_lines);
    kernels_.attend(group);
  }
  if (few && values_) multiply_values(first, length, state.out);
}

// 16 KiB of floats: measured best of 8, 16 and 32 at D 64 and 128.
int64_t ForwardTask::piece(int64_t size) const {
  constexpr int64_t kFloats = 4096;
  return std::clamp(round_up(kFloats / std::max<int64_t>(1, size), kernels_.lanes), kernels_.lanes, kKeyTile);
}

// Few rows are done with their keys sooner than the memory gives the next ones: those are asked for meanwhile, and the
// first values while the last keys of the tile are multiplied.
void ForwardTask::multiply_keys(int64_t first, int64_t length) {
  const int64_t piece = this->piece(problem_.head_size);
  for (int64_t n = 0; n < length; n += piece) {
    const int64_t count = std::min(piece, length - n);
    const KeyRows keys = keys_.in_place(sequence_, g_, first + n, count);
    KeyProduct work;
    work.keys = keys.data;
    work.key_stride = keys.stride;
    work.pairs = keys.pairs;
    work.depth = keys.pairs ? problem_.head_size / 2 : problem_.head_size;
    work.count = count;
    work.a = block_.queries();
    work.a_stride = block_.width();
    work.rows = count_;
    work.c = weights_ + n;
    work.c_stride = kScoreStride;
    const bool last = n + piece >= length;
    work.ahead = last && values_ ? values_->ahead(sequence_, g_, first, piece)
                                 : keys_.ahead(sequence_, g_, first + n + piece, piece);
    kernels_.key_products(work);
  }
}

// Only where sums have come out other than finite is it worth looking which values were masked.
void ForwardTask::multiply_values(int64_t first, int64_t length, float* out) {
  blend(first, length, false, out);
  if (kernels_.all_finite(out, count_ * columns_)) return;
  std::fill_n(out, count_ * columns_, 0.0f);
  blend(first, length, true, out);
}

// Piece by piece like the keys: the chain of additions of an element goes on from one to the next.
void ForwardTask::blend(int64_t first, int64_t length, bool skip_masked, float* out) {
  const int64_t piece = this->piece(columns_);
  Accumulation work;
  work.rows = count_;
  work.columns = work.c_stride = columns_;
  work.a_row_stride = kScoreStride;
  work.a_step_stride = 1;
  work.c = out;
  work.skip_masked = skip_masked;
  for (int64_t n = 0; n < length; n += piece) {
    work.steps = std::min(piece, length - n);
    const TileRows values = values_->rows(sequence_, g_, first + n, work.steps);
    work.a = weights_ + n;
    work.b = values.data;
    work.b_stride = values.stride;
    const bool last = n + piece >= length;
    work.ahead = last ? keys_.ahead(sequence_, g_, first + length, piece)
                      : values_->ahead(sequence_, g_, first + n + piece, piece);
    kernels_.accumulate(work);
  }
}

int64_t ForwardTask::place(const Row& row) const {
  return problem_.place(sequence_, row.head, row.query);
}

void ForwardTask::finish() {
  if (results_.out) write_out();
  const bool more = results_.lse || results_.max != nullptr || results_.sink_share != nullptr ||
                    state_.moment != nullptr || top_score_ != nullptr;
  for (int64_t r = 0; more && r < count_; ++r) finish_row(r);
}

// Of values near the largest float the sum may overflow where their mean does not. Such rows are done again with values
// so small that 2^31 of them cannot.
void ForwardTask::write_out() {
  constexpr float kSmall = 0x1p-32f;
  if (problem_.value_size == 0) return;
  std::vector<int64_t> lost;
  for (int64_t r = 0; r < count_; ++r) {
    if (!write_row(r) && std::isfinite(state_.sum[r])) lost.push_back(r);
  }
  if (lost.empty()) return;
  ForwardTask smaller(problem_, kernels_, results_, task_, count_, kSmall);
  const Interval tiles = tiles_of(problem_, task_);
  smaller.attend(tiles.begin, tiles.end, nullptr);
  for (const int64_t r : lost) smaller.write_row(r);
}

bool ForwardTask::write_row(int64_t r) {
  const FloatOutput& out = *results_.out;
  const float factor = total_of(state_.max[r], state_.sum[r]).inverse_sum * out_factor_;
  void* to = out.at(sequence_.b, rows_[r].head, sequence_.query_row(rows_[r].query), 0);
  return store_row(kernels_, state_.out + r * columns_, factor, problem_.value_size, out.strides[3], out.storage, to);
}

void ForwardTask::finish_row(int64_t r) {
  const Row row = rows_[r];
  const int64_t at = place(row);
  const RowTotal total = total_of(state_.max[r], state_.sum[r]);
  const float log_sum = total.dead || (!results_.lse && state_.moment == nullptr) ? 0 : std::log(state_.sum[r]);
  if (results_.lse) {
    (*results_.lse)(sequence_.b, row.head, sequence_.query_row(row.query)) =
        total.dead ? kMinusInfinity : state_.max[r] + log_sum;
  }
  if (results_.max != nullptr) {
    results_.max[at] = total.max;
    results_.inverse_sum[at] = total.inverse_sum;
  }
  const float sink = problem_.sink(row.head);
  float share = 0;
  if (sink != kMinusInfinity) kernels_.weigh_scores(&sink, total.max, total.inverse_sum, 1, &share);
  if (results_.sink_share != nullptr) results_.sink_share[at] = share;
  if (state_.moment != nullptr) {
    results_.entropy[at] = total.dead ? 0.0f : log_sum - state_.moment[r] * total.inverse_sum;
    // The sink's own term of the sum is taken out again.
    if (share > 0) results_.entropy[at] += share * (sink - state_.max[r] - log_sum);
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

}  // namespace limelight::detail
