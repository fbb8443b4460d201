// A decoder's forward pass over new tokens.
#pragma once

#include <span>

#include "limelight/decoder.h"
#include "model/decoder_cache.h"
#include "model/decoder_weights.h"

namespace limelight::detail {

// Writes keys and values of the ids behind what the cache holds, in as many layers as the options say, and returns the
// logits [rows, V] of the last `rows` ids (0 ids' where it stops early). The arguments have been checked; the cache's
// length is the caller's to move. Takes T (2 C + (2 H + 2 G + 1) D) floats, and 2 I more for up to 512 rows.
Tensor<float, 2> decoder_pass(const DecoderPlan& plan, const DecoderWeights& weights, const KeyValueMemory& cache,
                              std::span<const int32_t> ids, int64_t rows, const DecoderOptions& options);

}  // namespace limelight::detail
