// A decoder's forward pass over new tokens of sequences.
#pragma once

#include <span>

#include "limelight/decoder.h"
#include "model/decoder_cache.h"
#include "model/decoder_weights.h"

namespace limelight::detail {

// Writes keys and values of the ids behind what the caches hold, in as many layers as the options say, and returns the
// logits of all ids, or with `last` those of each sequence's last, [S, V] (of none where it stops early). The
// arguments have been checked, the caches share their pages and have enough of them; lengths are the caller's to move.
// Takes T (2 C + (2 H + 2 G + 1) D) floats, and 2 I more for up to 512 rows.
Tensor<float, 2> decoder_pass(const DecoderPlan& plan, const DecoderWeights& weights,
                              std::span<const NewTokens> sequences, bool last, const DecoderOptions& options);

}  // namespace limelight::detail
