// Views are copied while they live.
#include "kept_layer.h"

#include "core/error.h"
#include "model/layer_copy.h"

namespace limelight::studio {

KeptLayer::KeptLayer(const LayerAttention& seen)
    : layer(seen.layer),
      q(detail::copy_of(seen.q)),
      k(detail::copy_of(seen.k)),
      v(detail::copy_of(seen.v)),
      lse(detail::copy_of(seen.lse)),
      options(detail::options_of(seen)) {}

std::unique_ptr<const KeptLayer> keep_layer(const Reader& model, std::span<const int32_t> ids, int64_t layer, Mask mask,
                                            const Run& run) {
  std::unique_ptr<const KeptLayer> kept;
  ReadOptions options{.causal = causal_of(mask), .layers = layer + 1, .only = layer, .run = run};
  options.observer = [&](const LayerAttention& seen) {
    if (seen.layer == layer && detail::stands_alone(seen)) kept = std::make_unique<const KeptLayer>(seen);
  };
  model.read(ids, options);
  if (!kept) detail::fail_argument("model: its attention has a bias or sinks, which the studio does not draw");
  return kept;
}

}  // namespace limelight::studio
