// Loads query rows from views of any strides, and says what one row group and tile add to it.
#include "attention/row_block.h"

#include <algorithm>

namespace limelight::detail {
namespace {

constexpr int64_t kKeepLead = 16;  // floats before each dropout row: room to begin early, and whole cache lines

// Elements of a row of bias or mask from the first key of a tile on. In place where the tile is whole, for then whole
// vectors of it may be read; else those of `live` alone are copied, and the rest is whatever was there: a row's
// interval masks it.
template <class T>
const T* tile_row(const TensorView<const T, 4>& view, const Sequence& sequence, const Row& row, const KeyTile& tile,
                  KeyInterval live, int64_t rows_ahead, T* scratch) {
  if (live.begin >= live.end) return scratch;
  const T* from = &view(sequence.b, row.head, sequence.query_row(row.query), sequence.column(tile.first));
  const int64_t stride = view.strides[3];
  if (stride == 1 && tile.length == kKeyTile) {
    // The rows of the next group, which are far apart in memory, are asked for now.
    LineCursor next({from + view.strides[2] * rows_ahead, 0, kKeyTile * static_cast<int64_t>(sizeof(T)), 1});
    next.fetch(next.lines_of(1));
    return from;
  }
  for (int64_t j = live.begin; j < live.end; ++j) scratch[j] = from[j * stride];
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
  if (problem.alibi_slopes) {
    slopes_ = scratch.take<float>(kernels.row_group);
    distances_ = scratch.take<int32_t>(kernels.row_group);
  }
  if (problem.bias) {
    bias_ = scratch.take<const float*>(kernels.row_group);
    bias_rows_ = scratch.take<float>(kernels.row_group * kKeyTile);
  }
  if (problem.mask) {
    mask_ = scratch.take<const uint8_t*>(kernels.row_group);
    mask_rows_ = scratch.take<uint8_t>(kernels.row_group * kKeyTile);
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
  const std::byte* begin = rows_.empty() ? nullptr : address(0);
  for (size_t first = 0, r = 1; r <= rows_.size(); ++r) {
    const std::byte* here = r < rows_.size() ? address(r) : nullptr;
    const auto count = static_cast<int64_t>(r - first);
    if (here == begin + count * row_bytes) continue;
    load_rows(kernels_, begin, q.storage, problem_.head_size, q.strides[3], count, problem_.head_size, problem_.scale,
              width_, queries_ + static_cast<int64_t>(first) * width_);
    first = r;
    begin = here;
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
  group.slopes = slopes_;
  group.distances = distances_;
  group.bias = bias_;
  group.mask = mask_;
  group.keep = keep_;
  for (int64_t i = 0; i < count; ++i) {
    const Row& row = rows_[static_cast<size_t>(first + i)];
    const Interval live = live_[first + i];
    relative_[i] = {static_cast<int32_t>(std::clamp<int64_t>(live.begin - tile.first, 0, tile.length)),
                    static_cast<int32_t>(std::clamp<int64_t>(live.end - tile.first, 0, tile.length))};
    if (slopes_ != nullptr) {
      slopes_[i] = (*problem_.alibi_slopes)(sequence_.b, row.head);
      distances_[i] = static_cast<int32_t>(tile.first - (row.query + sequence_.keys - sequence_.queries));
    }
    if (bias_ != nullptr) {
      bias_[i] =
          tile_row(*problem_.bias, sequence_, row, tile, relative_[i], kernels_.row_group, bias_rows_ + i * kKeyTile);
    }
    if (mask_ != nullptr) {
      mask_[i] =
          tile_row(*problem_.mask, sequence_, row, tile, relative_[i], kernels_.row_group, mask_rows_ + i * kKeyTile);
    }
    if (keep_ != nullptr) keep_[i] = keep_row(row, tile, relative_[i], i);
  }
  return group;
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
