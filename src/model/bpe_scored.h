// SentencePiece's BPE, as Llama 2 has it: characters join to the piece of the best score; what no piece is, is its
// bytes. A space is written U+2581, a byte <0x0A>.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/utf8.h"
#include "model/vocabulary.h"

namespace limelight::detail {

inline constexpr char32_t kSpaceMark = U'\u2581';

std::string byte_fallback_piece(unsigned char byte);

// What a piece stands for: its byte, or its text with spaces for U+2581.
std::string bytes_of_scored_piece(std::string_view piece);

struct ScoredBpeConfig {
  std::unordered_map<int32_t, double> scores;  // of every piece that may be joined to; finite
};

class ScoredBpe {
 public:
  // The vocabulary must outlive it, and hold the pieces of all 256 bytes.
  ScoredBpe(ScoredBpeConfig config, const Vocabulary& vocabulary);

  // Appends the pieces of a stretch of text. The token of a byte spans its whole character.
  void encode(const Characters& text, Range word, std::vector<Token>& tokens) const;

 private:
  ScoredBpeConfig config_;
  const Vocabulary* vocabulary_;
  std::array<const Piece*, 256> bytes_;
};

}  // namespace limelight::detail
