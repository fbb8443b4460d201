// What a Hugging Face tokenizer.json says, checked field by field.
// Format: huggingface.co/docs/tokenizers; only BERT's steps are known, all others are refused by name.
#pragma once

#include <filesystem>
#include <vector>

#include "model/added_tokens.h"
#include "model/normalizer.h"
#include "model/wordpiece.h"

namespace limelight::detail {

struct TokenizerFile {
  BertNormalizer normalizer;
  WordPieceConfig model;
  std::vector<AddedToken> added_tokens;
  std::vector<Piece> before, after;  // the template: special tokens around the text
  int64_t vocabulary_size = 0;       // one more than the largest id
};

// Throws FileError or FormatError naming file and field.
TokenizerFile read_tokenizer_json(const std::filesystem::path& path);

}  // namespace limelight::detail
