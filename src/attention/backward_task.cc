// Five products for every pair of a query chunk and a key block: q k^T, dout v^T, P^T dout, dS^T q, dS k.
#include "attention/backward_task.h"

#include <algorithm>

#include "attention/bias_gradient.h"

namespace limelight::detail {

BackwardTask::BackwardTask(const Backward& call)
    : call_(call),
      problem_(call.problem),
      kernels_(call.kernels),
      keys_(problem_, problem_.k, kernels_, scratch_),
      values_(problem_, *problem_.v, kernels_, scratch_),
      block_(problem_, kernels_, call.plan.chunk_rows, scratch_),
      rows_(scratch_.take<Row>(call.plan.chunk_rows)),
      value_width_(values_.width()),
      douts_(scratch_.take<float>(call.plan.chunk_rows * value_width_)),
      weights_(scratch_.take<float>(call.plan.chunk_rows * kScoreStride)),
      gradients_(scratch_.take<float>(call.plan.chunk_rows * kScoreStride)),
      dk_(scratch_.take<float>(call.plan.block_keys * block_.width())),
      dv_(scratch_.take<float>(call.plan.block_keys * value_width_)) {
  const bool two_gradients = sums_bias_by_key(call.gradients) && problem_.softcap != 0;
  if (two_gradients) bias_gradients_ = scratch_.take<float>(call.plan.chunk_rows * kScoreStride);
}

bool BackwardTask::run(const KeyBlock& block) {
  load(block);
  const int64_t heads = problem_.heads_per_group();
  const Interval seeing = rule_.seeing(block.first, block.length);
  const int64_t end = call_.plan.chunks_of(std::min(seeing.end, sequence_.queries));
  for (int64_t h = g_ * heads; h < (g_ + 1) * heads; ++h) {
    for (int64_t chunk = seeing.begin / call_.plan.chunk_rows; chunk < end; ++chunk) {
      if (!meet(h, chunk)) return false;
    }
  }
  write();
  return true;
}

void BackwardTask::load(const KeyBlock& block) {
  sequence_ = problem_.sequence(block.sequence);
  rule_ = problem_.live(sequence_);
  g_ = block.g;
  tile_ = {block.first, block.length, keys_.panels(sequence_, g_, block.first, block.length)};
  value_panels_ = values_.panels(sequence_, g_, block.first, block.length);
  finite_keys_ = true;
  if (call_.dq != nullptr) {
    key_rows_ = keys_.rows(sequence_, g_, block.first, block.length);
    finite_keys_ = kernels_.all_finite(key_rows_.data, block.length * key_rows_.stride);
  }
  std::fill_n(dk_, block.length * block_.width(), 0.0f);
  std::fill_n(dv_, block.length * value_width_, 0.0f);
}

bool BackwardTask::meet(int64_t head, int64_t chunk) {
  const int64_t begin = chunk * call_.plan.chunk_rows;
  const int64_t end = std::min(begin + call_.plan.chunk_rows, sequence_.queries);
  load_rows_of(head, begin, end);
  weigh();
  if (sums_bias_by_key(call_.gradients)) {
    add_bias_gradient(*call_.gradients.dbias, block_, tile_, bias_gradients_ ? bias_gradients_ : gradients_);
  }
  add_to_keys();
  return call_.dq == nullptr || add_to_queries(head, chunk);
}

void BackwardTask::load_rows_of(int64_t head, int64_t begin, int64_t end) {
  count_ = end - begin;
  for (int64_t r = 0; r < count_; ++r) rows_[r] = {head, begin + r};
  block_.load(sequence_, {rows_, static_cast<size_t>(count_)});
  const FloatView& dout = call_.dout;
  load_rows(kernels_, dout.at(sequence_.b, head, sequence_.query_row(begin), 0), dout.storage, dout.strides[2],
            dout.strides[3], count_, problem_.value_size, 1.0f, value_width_, douts_);
  finite_rows_ = kernels_.all_finite(block_.queries(), count_ * block_.width()) &&
                 kernels_.all_finite(douts_, count_ * value_width_);
}

// Weights and score gradients of the chunk against the block.
void BackwardTask::weigh() {
  const int64_t at = problem_.place(sequence_, rows_[0].head, rows_[0].query);
  GradientGroup group;
  group.dout_stride = value_width_;
  group.value_depth = problem_.value_size;
  group.values = value_panels_;
  group.width = tile_.length;
  for (int64_t r = 0; r < count_; r += kernels_.row_group) {
    group.score = block_.scores(r, std::min(kernels_.row_group, count_ - r), tile_);
    group.lse = call_.lse + at + r;
    group.delta = call_.delta + at + r;
    group.douts = douts_ + r * value_width_;
    group.weights = weights_ + r * kScoreStride;
    group.gradients = gradients_ + r * kScoreStride;
    if (bias_gradients_ != nullptr) group.bias_gradients = bias_gradients_ + r * kScoreStride;
    kernels_.gradients(group);
  }
}

// Keys that all rows see the same way in one go; else by strips of keys, each with the rows that see some of it.
void BackwardTask::add_to_keys() {
  const Interval first = block_.live(0), last = block_.live(count_ - 1);
  if (last.begin <= tile_.first && first.end >= tile_.first + tile_.length) {
    add_to_keys(0, tile_.length, 0, count_);
    return;
  }
  int64_t begin = 0, end = 0;
  for (int64_t key = 0; key < tile_.length; key += kernels_.row_group) {
    const int64_t keys = std::min(kernels_.row_group, tile_.length - key);
    while (begin < count_ && block_.live(begin).end <= tile_.first + key) ++begin;
    while (end < count_ && block_.live(end).begin < tile_.first + key + keys) ++end;
    if (begin < end) add_to_keys(key, keys, begin, end - begin);
  }
}

// dv += (P K)^T dout and dk += dS^T (scale q), for some keys and rows.
void BackwardTask::add_to_keys(int64_t key, int64_t keys, int64_t row, int64_t rows) {
  Accumulation work;
  work.rows = keys;
  work.steps = rows;
  work.a_row_stride = 1;
  work.a_step_stride = kScoreStride;
  work.skip_masked = !finite_rows_;
  if (call_.gradients.dv) {
    work.columns = work.b_stride = work.c_stride = value_width_;
    work.a = weights_ + row * kScoreStride + key;
    work.b = douts_ + row * value_width_;
    work.c = dv_ + key * value_width_;
    kernels_.accumulate(work);
  }
  if (call_.gradients.dk) {
    work.columns = work.b_stride = work.c_stride = block_.width();
    work.a = gradients_ + row * kScoreStride + key;
    work.b = block_.queries() + row * block_.width();
    work.c = dk_ + key * block_.width();
    kernels_.accumulate(work);
  }
}

// dq += dS k, when the blocks before this one have added theirs.
bool BackwardTask::add_to_queries(int64_t head, int64_t chunk) {
  const BackwardPlan& plan = call_.plan;
  const int64_t place = head * plan.chunks + plan.first_chunk[static_cast<size_t>(sequence_.index)] + chunk;
  const Interval reach = rule_.of(rows_[0].query, rows_[count_ - 1].query + 1);
  const int64_t turn = tile_.first / plan.block_keys - reach.begin / plan.block_keys;
  if (!call_.turns->wait(place, turn)) return false;
  Accumulation work;
  work.columns = work.c_stride = block_.width();
  work.a_row_stride = kScoreStride;
  work.a_step_stride = 1;
  work.b_stride = key_rows_.stride;
  work.skip_masked = !finite_keys_;
  const int64_t at = problem_.place(sequence_, head, rows_[0].query);
  for (int64_t r = 0; r < count_; r += kernels_.row_group) {
    work.rows = std::min(kernels_.row_group, count_ - r);
    const Interval seen = rule_.of(rows_[r].query, rows_[r].query + work.rows);
    const int64_t begin = std::max(seen.begin - tile_.first, int64_t{0});
    work.steps = std::min(seen.end - tile_.first, tile_.length) - begin;
    if (work.steps <= 0) continue;
    work.a = gradients_ + r * kScoreStride + begin;
    work.b = key_rows_.data + begin * key_rows_.stride;
    work.c = call_.dq + (at + r) * block_.width();
    kernels_.accumulate(work);
  }
  call_.turns->pass(place);
  return true;
}

void BackwardTask::write() {
  const auto rows = [&](const std::optional<FloatOutput>& view, float* sums, int64_t width) {
    if (!view) return;
    for (int64_t j = 0; j < tile_.length; ++j) {
      store_row(kernels_, sums + j * width, 1.0f, view->sizes[3], view->strides[3], view->storage,
                problem_.key_row(*view, sequence_, g_, tile_.first + j));
    }
  };
  rows(call_.gradients.dk, dk_, block_.width());
  rows(call_.gradients.dv, dv_, value_width_);
}

}  // namespace limelight::detail
