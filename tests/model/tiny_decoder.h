// The golden tiny decoders, to be changed and run.
#pragma once

#include <cstring>
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

// One of these, or "window": the llama, each token of which sees 3.
inline Decoder tiny_decoder(const std::string& name) {
  if (name != "window") return Decoder::load(std::filesystem::path(LIMELIGHT_GOLDEN) / "tiny" / name);
  const TinyDecoder mistral("llama");
  mistral.edit_config([](nlohmann::json& config) {
    config["model_type"] = "mistral";
    config["sliding_window"] = 3;
  });
  return mistral.load();
}

// Of their vocabulary.
inline std::vector<int32_t> some_ids(int64_t count, size_t first = 0) {
  std::vector<int32_t> ids(static_cast<size_t>(count));
  for (size_t n = 0; n < ids.size(); ++n) {
    const size_t t = first + n;
    ids[n] = static_cast<int32_t>((7 * t + t * t / 3) % 96);
  }
  return ids;
}

inline bool same_bits(TensorView<const float, 2> a, TensorView<const float, 2> b) {
  if (a.sizes != b.sizes) return false;
  return std::memcmp(a.data, b.data, sizeof(float) * static_cast<size_t>(a.count())) == 0;
}

inline TensorView<const float, 2> rows_of(const Tensor<float, 2>& x, int64_t first, int64_t count) {
  return {&x(first, 0), {count, x.sizes()[1]}, {x.sizes()[1], 1}};
}

// One call over an empty cache.
inline Tensor<float, 2> logits_of(const Decoder& decoder, const std::vector<int32_t>& ids,
                                  const DecoderOptions& options = {}) {
  DecoderCache cache(decoder.config(), static_cast<int64_t>(ids.size()));
  return decoder.forward(ids, cache, options);
}

}  // namespace limelight::testing
