// The tokenizer.ggml.* metadata of a GGUF file.
#include "model/tokenizer_gguf.h"

#include <limits>

namespace limelight::detail {

TokenizerParts tokenizer_parts(const GgufFile& file) {
  const auto find = [&](const char* name) { return file.find(std::string("tokenizer.ggml.") + name); };
  const auto id = [&](const char* name) -> std::optional<int64_t> {
    const auto field = find(name);
    return field ? std::optional(field->as_integer(0, std::numeric_limits<int32_t>::max())) : std::nullopt;
  };
  const auto flag = [&](const char* name) -> std::optional<bool> {
    const auto field = find(name);
    return field ? std::optional(field->as_bool()) : std::nullopt;
  };
  TokenizerParts parts;
  parts.file = file.path().string();
  parts.model = file["tokenizer.ggml.model"].as_text();
  if (const auto pre = find("pre")) parts.pre = pre->as_text();
  parts.tokens = file["tokenizer.ggml.tokens"].as_texts();
  if (const auto types = find("token_type")) parts.token_types = types->as_integers(1, 6);
  if (const auto scores = find("scores")) parts.scores = scores->as_numbers();
  if (const auto merges = find("merges")) parts.merges = merges->as_texts();
  parts.bos = id("bos_token_id");
  parts.eos = id("eos_token_id");
  parts.add_bos = flag("add_bos_token");
  parts.add_eos = flag("add_eos_token");
  parts.add_space_prefix = flag("add_space_prefix");
  return parts;
}

}  // namespace limelight::detail
