// A tokenizer as GGUF metadata tells it: the values of tokenizer.ggml.*, not yet checked.
// Views look into the file, or wherever the caller keeps them.
// Format: github.com/ggml-org/ggml, docs/gguf.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/tokenizer_config.h"

namespace limelight::detail {

struct TokenizerParts {
  std::string file;                      // for messages
  std::string_view model;                // "gpt2" (byte-level BPE) or "llama" (SentencePiece's BPE)
  std::string_view pre;                  // how "gpt2" cuts words: gpt-2, smollm, llama-bpe, qwen2, default
  std::vector<std::string_view> tokens;  // the vocabulary, by id
  std::vector<int64_t> token_types;      // as many, or none: all normal (1)
  std::vector<double> scores;            // "llama": as many
  std::vector<std::string_view> merges;  // "gpt2": "left right", the first learnt first
  std::optional<int64_t> bos, eos;       // *_token_id
  std::optional<bool> add_bos, add_eos;  // add_*_token; absent: what the kind of model does
  std::optional<bool> add_space_prefix;
};

// Throws FormatError naming file and field. A model or pre-tokenizer that is not known is refused by name.
TokenizerConfig tokenizer_config(const TokenizerParts& parts);

}  // namespace limelight::detail
