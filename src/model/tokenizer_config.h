// All that a tokenizer is made from, read from a tokenizer.json or a GGUF file's metadata, and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "model/added_tokens.h"
#include "model/bpe.h"
#include "model/bpe_characters.h"
#include "model/normalizer.h"
#include "model/pretokenizer.h"
#include "model/space_marks.h"
#include "model/vocabulary.h"
#include "model/wordpiece.h"

namespace limelight::detail {

struct NoNormalizer {};
struct NfcNormalizer {};

// What decoding does with a space that a BPE of characters has at the start, for it may be the prefix.
enum class LeadingSpace {
  kStays,
  kOfTheTextGoes,
  kOfAStretchGoes,  // of what follows each added token too
};

struct TokenizerConfig {
  Vocabulary vocabulary;
  std::vector<AddedToken> added_tokens;
  std::variant<NoNormalizer, BertNormalizer, NfcNormalizer, SpaceMarkNormalizer> normalizer;
  Pretokenizer pretokenizer;
  std::variant<WordPieceConfig, ByteLevelBpeConfig, CharacterBpeConfig> model;
  LeadingSpace leading_space = LeadingSpace::kStays;
  std::vector<Piece> before, after;          // the template: special tokens around the text
  std::optional<int32_t> first_id, last_id;  // of a text and of what a model writes (bos, eos), where the file tells
};

}  // namespace limelight::detail
