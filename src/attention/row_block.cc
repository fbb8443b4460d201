// Loads query rows from views of any strides, and makes the bias and dropout rows of one row group and tile.
#include "attention/row_block.h"

#include <algorithm>

namespace limelight::detail {
namespace {

constexpr int64_t kKeepLead = 16;  // floats before each dropout row: room to begin early, and whole cache lines

// `count` elements of a strided row; the row itself where it is contiguous.
template <class T>
const T* gather(const T* row, int64_t stride, int64_t count, T* scratch) {
  if (stride == 1) return row;
  for (int64_t j = 0; j < count; ++j) scratch[j] = row[j * stride];
  return scratch;
}

}  // namespace

RowBlock::RowBlock(const Problem& problem, const Kernels& kernels, int64_t capacity, Scratch& scratch)
    : problem_(problem),
      kernels_(kernels),
      width_(round_up(problem.head_size, kernels.lanes)),
      queries_(scratch.take<float>(capacity * width_)),
      live_(scratch.take<Interval>(capacity)),
      relative_(scratch.take<KeyInterval>(kernels.row_group)) {
  if (problem.bias || problem.mask || problem.alibi_slopes) {
    bias_ = scratch.take<const float*>(kernels.row_group);
    bias_rows_ = scratch.take<float>(kernels.row_group * kKeyTile);
    gathered_ = scratch.take<float>(kKeyTile);
    gathered_mask_ = scratch.take<uint8_t>(kKeyTile);
  }
  if (problem.dropout.probability > 0) {
    keep_ = scratch.take<const float*>(kernels.row_group);
    keep_rows_ = scratch.take<float>(kernels.row_group * (kKeepLead + kKeyTile));
    dropout_ = dropout_key(problem.dropout.probability, problem.dropout.seed, problem.dropout.offset);
  }
}

void RowBlock::load(const Sequence& sequence, std::span<const Row> rows) {
  sequence_ = sequence;
  rows_ = rows;
  reach_ = {problem_.keys + sequence.held.end, 0};
  const LiveRule rule = problem_.live(sequence);
  for (size_t r = 0; r < rows.size(); ++r) {
    const Interval live = live_[r] = rule(rows[r].query);
    if (live.begin == live.end) continue;
    reach_.begin = std::min(reach_.begin, live.begin);
    reach_.end = std::max(reach_.end, live.end);
  }
  reach_.begin = std::min(reach_.begin, reach_.end);
  load_queries();
}

// Rows that follow each other in memory are converted in one go.
void RowBlock::load_queries() {
  const FloatView& q = problem_.q;
  const auto address = [&](size_t r) {
    return static_cast<const std::byte*>(q.at(sequence_.b, rows_[r].head, sequence_.query_row(rows_[r].query), 0));
  };
  const int64_t row_bytes = problem_.head_size * storage_bytes(q.storage);
  for (size_t r = 0, next = 0; r < rows_.size(); r = next) {
    next = r + 1;
    while (next < rows_.size() && address(next) == address(next - 1) + row_bytes) ++next;
    load_rows(kernels_, address(r), q.storage, problem_.head_size, q.strides[3], static_cast<int64_t>(next - r),
              problem_.head_size, problem_.scale, width_, queries_ + static_cast<int64_t>(r) * width_);
  }
}

ScoreGroup RowBlock::scores(int64_t first, int64_t count, const KeyTile& tile) {
  ScoreGroup group;
  group.rows = count;
  group.depth = problem_.head_size;
  group.queries = queries_ + first * width_;
  group.query_stride = width_;
  group.keys = tile.panels;
  group.live = relative_;
  group.softcap = problem_.softcap;
  group.bias = bias_;
  group.keep = keep_;
  for (int64_t i = 0; i < count; ++i) {
    const Row& row = rows_[static_cast<size_t>(first + i)];
    const Interval live = live_[first + i];
    relative_[i] = {static_cast<int32_t>(std::clamp<int64_t>(live.begin - tile.first, 0, tile.length)),
                    static_cast<int32_t>(std::clamp<int64_t>(live.end - tile.first, 0, tile.length))};
    if (bias_ != nullptr) bias_[i] = bias_row(row, tile, relative_[i], i);
    if (keep_ != nullptr) keep_[i] = keep_row(row, tile, relative_[i], i);
  }
  return group;
}

// Only the row's own keys are read; the rest of the tile becomes minus infinity by the row's interval.
const float* RowBlock::bias_row(const Row& row, const KeyTile& tile, KeyInterval live, int64_t slot) {
  float* to = bias_rows_ + slot * kKeyTile;
  const int64_t count = live.end - live.begin;
  if (count <= 0) return to;
  const int64_t query = sequence_.query_row(row.query);
  const int64_t key = tile.first + live.begin;
  const float* bias = nullptr;
  const uint8_t* mask = nullptr;
  if (problem_.bias) {
    bias = &(*problem_.bias)(sequence_.b, row.head, query, sequence_.column(key));
    bias = gather(bias, problem_.bias->strides[3], count, gathered_);
  }
  if (problem_.mask) {
    mask = &(*problem_.mask)(sequence_.b, row.head, query, sequence_.column(key));
    mask = gather(mask, problem_.mask->strides[3], count, gathered_mask_);
  }
  const float slope = problem_.alibi_slopes ? (*problem_.alibi_slopes)(sequence_.b, row.head) : 0.0f;
  const int64_t distance = key - (row.query + sequence_.keys - sequence_.queries);
  kernels_.bias_row(bias, mask, slope, distance, count, to + live.begin);
  return to;
}

const float* RowBlock::keep_row(const Row& row, const KeyTile& tile, KeyInterval live, int64_t slot) {
  float* to = keep_rows_ + slot * (kKeepLead + kKeyTile) + kKeepLead;
  std::fill_n(to, kKeyTile, 1.0f);
  if (live.begin >= live.end) return to;
  // A counter gives four keys their bits, so the row begins up to three keys early.
  const int64_t begin = (tile.first + live.begin) / 4 * 4 - tile.first;
  kernels_.dropout_row(dropout_, sequence_.b * problem_.heads + row.head, sequence_.query_row(row.query),
                       tile.first + begin, live.end - begin, to + begin);
  return to;
}

}  // namespace limelight::detail
