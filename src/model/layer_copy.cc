// Copies of layers' attention.
#include "model/layer_copy.h"

#include <array>

namespace limelight::detail {

template <int Rank>
Tensor<float, Rank> copy_of(const TensorView<const float, Rank>& view) {
  Tensor<float, Rank> copy(view.sizes);
  float* to = copy.data();
  const int64_t last = view.sizes[Rank - 1];
  std::array<int64_t, Rank> at{};
  for (int64_t row = 0; last > 0 && row < view.count() / last; ++row) {
    const float* from = view.data;
    for (size_t axis = 0; axis + 1 < Rank; ++axis) from += at[axis] * view.strides[axis];
    for (int64_t i = 0; i < last; ++i) *to++ = from[i * view.strides[Rank - 1]];
    for (size_t axis = Rank - 1; axis-- > 0;) {
      if (++at[axis] < view.sizes[axis]) break;
      at[axis] = 0;
    }
  }
  return copy;
}

template Tensor<float, 3> copy_of(const TensorView<const float, 3>&);
template Tensor<float, 4> copy_of(const TensorView<const float, 4>&);

bool stands_alone(const LayerAttention& layer) {
  const AttentionOptions& o = layer.options;
  return !o.alibi_slopes && !o.sinks && !o.bias && !o.mask && !o.key_lengths && !o.cu_q && !o.cu_k && !o.block_table &&
         !o.part && layer.q.sizes[0] == 1 && layer.q.sizes[2] == layer.k.sizes[2];
}

AttentionOptions options_of(const LayerAttention& layer) {
  AttentionOptions options = layer.options;
  options.run = {};
  return options;
}

}  // namespace limelight::detail
