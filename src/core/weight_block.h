// What a block of stored weights consists of: its fields, one after the other.
#pragma once

#include <cstdint>
#include <span>

#include "limelight/quantised.h"

namespace limelight::detail {

// `count` elements of `width` bytes each: 1, 2 or 4.
struct WeightField {
  int64_t width = 1;
  int64_t count = 1;
};
std::span<const WeightField> weight_fields(WeightType type);

}  // namespace limelight::detail
