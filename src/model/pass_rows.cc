// Parts of rows, and rows added to others.
#include "model/pass_rows.h"

#include "core/parallel.h"

namespace limelight::detail {

Rows rows_of(Rows x, int64_t first, int64_t count) {
  return {x.data + first * x.strides[0], {count, x.sizes[1]}, x.strides};
}

Rows columns_of(Rows x, int64_t first, int64_t count) {
  return {x.data + first, {x.sizes[0], count}, x.strides};
}

TensorView<float, 4> heads_of(Rows x, int64_t depth) {
  const auto [tokens, columns] = x.sizes;
  return {x.data, {1, columns / depth, tokens, depth}, {tokens * x.strides[0], depth, x.strides[0], 1}};
}

void add_rows(const char* where, TensorView<const float, 2> x, Rows y, const Run& run) {
  for_each_row(y.sizes[0], y.sizes[1], run, where, [&](int64_t t) {
    const float* from = x.data + t * x.strides[0];
    float* to = y.data + t * y.strides[0];
    for (int64_t c = 0; c < y.sizes[1]; ++c) to[c] += from[c];
  });
}

}  // namespace limelight::detail
