// Views are copied while they live.
#include "kept_layer.h"

#include <algorithm>

#include "core/error.h"

namespace limelight::studio {
namespace {

template <int Rank>
Tensor<float, Rank> copy_of(const TensorView<const float, Rank>& view) {
  Tensor<float, Rank> copy(view.sizes);
  float* to = copy.data();
  int64_t last = view.sizes[Rank - 1];
  std::array<int64_t, Rank> at{};
  for (int64_t row = 0; last > 0 && row < view.count() / last; ++row) {
    const float* from = view.data;
    for (int axis = 0; axis + 1 < Rank; ++axis)
      from += at[static_cast<size_t>(axis)] * view.strides[static_cast<size_t>(axis)];
    for (int64_t i = 0; i < last; ++i) *to++ = from[i * view.strides[Rank - 1]];
    for (size_t axis = Rank - 1; axis-- > 0;) {
      if (++at[axis] < view.sizes[axis]) break;
      at[axis] = 0;
    }
  }
  return copy;
}

AttentionOptions without_views(const AttentionOptions& options) {
  AttentionOptions kept;
  kept.causal = options.causal;
  kept.window = options.window;
  kept.scale = options.scale;
  kept.softcap = options.softcap;
  return kept;
}

}  // namespace

KeptLayer::KeptLayer(const LayerAttention& seen)
    : layer(seen.layer),
      q(copy_of(seen.q)),
      k(copy_of(seen.k)),
      v(copy_of(seen.v)),
      lse(copy_of(seen.lse)),
      options(without_views(seen.options)) {}

TensorView<const float, 4> KeptLayer::slice(const Tensor<float, 4>& of, int64_t head, int64_t heads) {
  const auto [one, groups, tokens, depth] = of.sizes();
  return view_of(of.data() + head / (heads / groups) * tokens * depth, std::array<int64_t, 4>{1, 1, tokens, depth});
}

bool can_keep(const LayerAttention& seen) {
  const AttentionOptions& o = seen.options;
  return !o.alibi_slopes && !o.sinks && !o.bias && !o.mask && !o.key_lengths && !o.cu_q && !o.cu_k && !o.block_table &&
         !o.part && seen.q.sizes[2] == seen.k.sizes[2];
}

std::unique_ptr<const KeptLayer> keep_layer(const Reader& model, std::span<const int32_t> ids, int64_t layer, Mask mask,
                                            const Run& run) {
  std::unique_ptr<const KeptLayer> kept;
  ReadOptions options{.causal = causal_of(mask), .layers = layer + 1, .only = layer, .run = run};
  options.observer = [&](const LayerAttention& seen) {
    if (seen.layer == layer && can_keep(seen)) kept = std::make_unique<const KeptLayer>(seen);
  };
  model.read(ids, options);
  if (!kept) detail::fail_argument("model: its attention has a bias or sinks, which the studio does not draw");
  return kept;
}

}  // namespace limelight::studio
