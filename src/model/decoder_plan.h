// What a decoder is made of, read from config.json or from GGUF metadata; every field that changes the computation is
// obeyed or refused by name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "limelight/decoder.h"
#include "limelight/gguf.h"
#include "limelight/nn.h"

namespace limelight::detail {

struct DecoderPlan {
  DecoderConfig config;
  bool from_gguf = false;
  std::string source;               // "config.json" or "the metadata", for messages
  std::vector<int64_t> windows;     // of each layer, as config.window
  std::vector<double> frequencies;  // of rotary positions, [head_size / 2]; empty: positions are learnt (GPT-2)
  bool gated = true;                // RMS norms and SwiGLU; else layer norms with biases and GELU
  Gelu activation = Gelu::kTanh;    // where it is not gated
  bool tied = false;                // logits are products with the embedding of each piece
  bool query_key_value_bias = false, attention_output_bias = false, feed_forward_bias = false;
  std::vector<int32_t> end_ids;
  std::optional<std::string> chat_template;
};

// From the folder's config.json, generation_config.json, tokenizer_config.json and chat_template.jinja. Throws
// FileError, or FormatError naming file and field.
DecoderPlan read_decoder_plan(const std::filesystem::path& folder);
DecoderPlan read_decoder_plan(const GgufFile& file);

inline constexpr const char* kDecoderTypes = "\"gpt2\", \"llama\", \"qwen2\" or \"mistral\"";
// One of these; of GGUF files all but the last, which they call llama.
bool is_decoder_type(std::string_view model_type);
bool is_gguf_decoder(std::string_view architecture);

}  // namespace limelight::detail
