// BPE of characters, SentencePiece's, as Llama 2 and Mistral have it: characters join to pieces, by the score of what
// they become or in the order the merges were learnt; what no piece is, is its bytes, written <0x0A>.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "model/bpe.h"
#include "model/utf8.h"
#include "model/vocabulary.h"

namespace limelight::detail {

std::string byte_fallback_piece(unsigned char byte);

// The first byte's piece that is not there; nullopt: all are.
std::optional<std::string> byte_without_piece(const Vocabulary& vocabulary);

// What a piece stands for: its byte, or its text with spaces for U+2581.
std::string bytes_of_character_piece(std::string_view piece);

// Of every piece that may be joined to; finite. GGUF files have these, a tokenizer.json has merges made from them.
using PieceScores = std::unordered_map<int32_t, double>;

struct CharacterBpeConfig {
  std::variant<PieceScores, MergeTable> joins;
};

class CharacterBpe {
 public:
  // The vocabulary must outlive it, and hold the pieces of all 256 bytes.
  CharacterBpe(CharacterBpeConfig config, const Vocabulary& vocabulary);

  // Appends the pieces of a stretch of text that has U+2581 for its spaces. The token of a byte spans its whole
  // character.
  void encode(const Characters& text, Range word, std::vector<Token>& tokens) const;

 private:
  CharacterBpeConfig config_;
  const Vocabulary* vocabulary_;
  std::array<const Piece*, 256> bytes_;
};

}  // namespace limelight::detail
