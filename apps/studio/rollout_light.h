// Where tokens look through all layers at once: attention rollout, merged and drawn as the light of one head is.
#pragma once

#include <cstdint>
#include <span>

#include "light.h"

namespace limelight::studio {

// Through the layers up to options.layer, all unless given, their heads averaged; options.head is not looked at. Keeps
// q and k of these layers, and a row at a time.
HeadLight rollout_light(const Reader& model, std::span<const int32_t> ids, std::span<const Query> queries,
                        const WatchOptions& options);

}  // namespace limelight::studio
