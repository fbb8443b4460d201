// Rows of a table, added where their ids say.
#include <string>

#include "core/error.h"
#include "limelight/nn.h"
#include "nn/rows.h"

namespace limelight {

void add_embedding(TensorView<const float, 2> table, std::span<const int32_t> ids, TensorView<float, 2> y) {
  const int64_t tokens = static_cast<int64_t>(ids.size());
  const int64_t vocabulary = table.sizes[0];
  const int64_t channels = table.sizes[1];
  detail::check_rows<2>("add_embedding", "table", table, {-1, -1});
  detail::check_output_rows("add_embedding", "y", y, {tokens, channels});
  for (int64_t t = 0; t < tokens; ++t) {
    if (ids[t] < 0 || ids[t] >= vocabulary) {
      detail::fail_argument("[add_embedding] ids[" + std::to_string(t) + "]: expected in [0, " +
                            std::to_string(vocabulary) + "), found " + std::to_string(ids[t]));
    }
  }
  for (int64_t t = 0; t < tokens; ++t) {
    const float* from = table.data + ids[t] * table.strides[0];
    float* to = y.data + t * y.strides[0];
    for (int64_t c = 0; c < channels; ++c) to[c] += from[c];
  }
}

}  // namespace limelight
