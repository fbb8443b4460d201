// The tokenizer.ggml.* metadata of a GGUF file.
#pragma once

#include "limelight/gguf.h"
#include "model/tokenizer_parts.h"

namespace limelight::detail {

// Looks into the file. Throws FormatError where a value is of another type.
TokenizerParts tokenizer_parts(const GgufFile& file);

}  // namespace limelight::detail
