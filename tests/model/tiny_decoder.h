// The golden tiny decoders, to be changed and run.
#pragma once

#include <string>
#include <vector>

#include "limelight/decoder.h"
#include "tests/model/tiny_checkpoint.h"

namespace limelight::testing {

class TinyDecoder : public TinyCheckpoint {
 public:
  using TinyCheckpoint::TinyCheckpoint;  // "gpt2", "llama" or "llama_scaled"
  Decoder load() const { return Decoder::load(path()); }
};

// One call over an empty cache.
inline Tensor<float, 2> logits_of(const Decoder& decoder, const std::vector<int32_t>& ids,
                                  const DecoderOptions& options = {}) {
  DecoderCache cache(decoder.config(), static_cast<int64_t>(ids.size()));
  return decoder.forward(ids, cache, options);
}

}  // namespace limelight::testing
