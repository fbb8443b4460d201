// The factor of q.k that a call's options mean: theirs, or 1 / sqrt(D).
#pragma once

#include <cmath>
#include <cstdint>

#include "limelight/attention.h"

namespace limelight::detail {

template <class Real = float>
Real scale_of(const AttentionOptions& options, int64_t head_size) {
  return options.scale ? Real{*options.scale} : 1 / std::sqrt(static_cast<Real>(head_size));
}

}  // namespace limelight::detail
