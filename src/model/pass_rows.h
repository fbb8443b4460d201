// Rows of tokens in a model's pass: parts of them where they stand, and one matrix of them added to another.
#pragma once

#include "core/rounding.h"
#include "limelight/runtime.h"
#include "limelight/tensor.h"

namespace limelight::detail {

// Rows that go through a layer's feed-forward network at once: what is inside it is the widest of all.
inline constexpr int64_t kFeedForwardRows = 512;
inline int64_t feed_forward_blocks(int64_t rows) {
  return ceil_div(rows, kFeedForwardRows);
}

using Rows = TensorView<float, 2>;  // [T, C], contiguous along the last axis

Rows rows_of(Rows x, int64_t first, int64_t count);
Rows columns_of(Rows x, int64_t first, int64_t count);

// Columns as heads [1, heads, T, D].
TensorView<float, 4> heads_of(Rows x, int64_t depth);

// y += x.
void add_rows(const char* where, TensorView<const float, 2> x, Rows y, const Run& run);

}  // namespace limelight::detail
