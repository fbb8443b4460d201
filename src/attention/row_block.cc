// Loads query rows and key tiles from views of any strides into the kernels' form.
#include "attention/row_block.h"

#include <algorithm>

namespace limelight::detail {
namespace {

int64_t padded_keys(const Kernels& kernels) {
  return (kKeyTile + kernels.panel - 1) / kernels.panel * kernels.panel;
}

// Elements [begin, end) of a strided row; the row itself where it is contiguous.
template <class T>
const T* gather(const T* row, int64_t stride, int64_t begin, int64_t end, T* scratch) {
  if (stride == 1) return row;
  for (int64_t j = begin; j < end; ++j) scratch[j] = row[j * stride];
  return scratch;
}

}  // namespace

KeyPacker::KeyPacker(const Problem& problem, const Kernels& kernels, Scratch& scratch)
    : problem_(problem), kernels_(kernels), panels_(scratch.take<float>(padded_keys(kernels) * problem.head_size)) {}

KeyTile KeyPacker::pack(int64_t b, int64_t g, int64_t first, int64_t length) {
  const TensorView<const float, 4>& k = problem_.k;
  kernels_.pack_panels(&k(b, g, first, 0), k.strides[2], k.strides[3], length, problem_.head_size, panels_);
  return {b, first, length, panels_};
}

RowBlock::RowBlock(const Problem& problem, const Kernels& kernels, int64_t capacity, Scratch& scratch)
    : problem_(problem),
      kernels_(kernels),
      queries_(scratch.take<float>(capacity * problem.head_size)),
      live_(scratch.take<Interval>(capacity)),
      relative_(scratch.take<KeyInterval>(kernels.row_group)),
      bias_(scratch.take<const float*>(kernels.row_group)),
      bias_rows_(nullptr),
      gathered_(nullptr),
      gathered_mask_(nullptr) {
  if (!problem.bias && !problem.mask) return;
  bias_rows_ = scratch.take<float>(kernels.row_group * kKeyTile);
  gathered_ = scratch.take<float>(kKeyTile);
  gathered_mask_ = scratch.take<uint8_t>(kKeyTile);
}

void RowBlock::load(int64_t b, std::span<const Row> rows) {
  b_ = b;
  rows_ = rows;
  reach_ = {problem_.keys, 0};
  const LiveRule rule = problem_.live(b);
  for (size_t r = 0; r < rows.size(); ++r) {
    const Interval live = live_[r] = rule(rows[r].query);
    if (live.begin == live.end) continue;
    reach_.begin = std::min(reach_.begin, live.begin);
    reach_.end = std::max(reach_.end, live.end);
  }
  reach_.begin = std::min(reach_.begin, reach_.end);
  load_queries();
}

void RowBlock::load_queries() {
  const TensorView<const float, 4>& q = problem_.q;
  const int64_t depth = problem_.head_size;
  const int64_t stride = q.strides[3];
  const auto address = [&](size_t r) { return &q(b_, rows_[r].head, rows_[r].query, 0); };
  for (size_t r = 0, next = 0; r < rows_.size(); r = next) {
    const float* from = address(r);
    float* to = queries_ + static_cast<int64_t>(r) * depth;
    next = r + 1;
    if (stride != 1) {
      for (int64_t d = 0; d < depth; ++d) to[d] = from[d * stride] * problem_.scale;
      continue;
    }
    // Rows that follow each other in memory are scaled in one go.
    while (next < rows_.size() && address(next) == address(next - 1) + depth) ++next;
    kernels_.scale(from, problem_.scale, static_cast<int64_t>(next - r) * depth, to);
  }
}

ScoreGroup RowBlock::scores(int64_t first, int64_t count, const KeyTile& tile) {
  ScoreGroup group;
  group.rows = count;
  group.depth = problem_.head_size;
  group.queries = queries_ + first * problem_.head_size;
  group.keys = tile.panels;
  group.live = relative_;
  group.softcap = problem_.softcap;
  for (int64_t i = 0; i < count; ++i) {
    const Interval live = live_[first + i];
    relative_[i] = {static_cast<int32_t>(std::clamp<int64_t>(live.begin - tile.first, 0, tile.length)),
                    static_cast<int32_t>(std::clamp<int64_t>(live.end - tile.first, 0, tile.length))};
  }
  if (bias_rows_ != nullptr) {
    for (int64_t i = 0; i < count; ++i) {
      bias_[i] = bias_row(rows_[static_cast<size_t>(first + i)], tile, relative_[i], i);
    }
    group.bias = bias_;
  }
  return group;
}

const float* RowBlock::bias_row(const Row& row, const KeyTile& tile, KeyInterval live, int64_t slot) {
  float* to = bias_rows_ + slot * kKeyTile;
  const float* bias = nullptr;
  const uint8_t* mask = nullptr;
  if (problem_.bias) {
    bias = &(*problem_.bias)(b_, row.head, row.query, tile.first);
    bias = gather(bias, problem_.bias->strides[3], live.begin, live.end, gathered_);
  }
  if (problem_.mask) {
    mask = &(*problem_.mask)(b_, row.head, row.query, tile.first);
    mask = gather(mask, problem_.mask->strides[3], live.begin, live.end, gathered_mask_);
  }
  // Only the row's own keys are read; the rest of the tile becomes minus infinity by the row's interval.
  kernels_.mask_bias(bias == nullptr ? nullptr : bias + live.begin, mask == nullptr ? nullptr : mask + live.begin,
                     live.end - live.begin, to + live.begin);
  return to;
}

}  // namespace limelight::detail
