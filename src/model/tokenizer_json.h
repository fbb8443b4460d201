// What a Hugging Face tokenizer.json says, checked field by field.
// Format: huggingface.co/docs/tokenizers; steps that are not known are refused by name.
#pragma once

#include <filesystem>

#include "model/tokenizer_config.h"

namespace limelight::detail {

// Throws FileError or FormatError naming file and field.
TokenizerConfig read_tokenizer_json(const std::filesystem::path& path);

}  // namespace limelight::detail
