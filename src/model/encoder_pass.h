// An encoder's forward pass over texts that lie one behind the other.
#pragma once

#include <span>

#include "limelight/model.h"
#include "model/encoder_weights.h"

namespace limelight::detail {

// Text s is ids[starts[s]] up to ids[starts[s + 1]]. Hidden states [T, C] of all. The arguments have been checked.
Tensor<float, 2> encoder_pass(const EncoderPlan& plan, const EncoderWeights& weights, std::span<const int32_t> ids,
                              std::span<const int64_t> starts, const EncoderOptions& options);

}  // namespace limelight::detail
