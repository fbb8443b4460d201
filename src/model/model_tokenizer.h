// The tokenizer that comes with a model. It may know fewer pieces than the model has rows for, not more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "limelight/tokenizer.h"

namespace limelight::detail {

// Throws FormatError, naming the file, where the tokenizer knows more pieces than the model.
void check_vocabulary(const Tokenizer& tokenizer, int64_t vocabulary, const std::filesystem::path& file);

// From folder/tokenizer.json, checked; nothing where there is none: ids can still be run.
std::optional<Tokenizer> find_tokenizer(const std::filesystem::path& folder, int64_t vocabulary);

}  // namespace limelight::detail
