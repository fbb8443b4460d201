// BPE of characters: symbols of one character each, joined by scores or by merges.
#include "model/bpe_characters.h"

#include <charconv>

#include "model/bpe_merging.h"
#include "model/space_marks.h"

namespace limelight::detail {
namespace {

constexpr int32_t kNoPiece = -1;

// A word's characters as symbols over its bytes, and the character that each byte came from.
struct Symbols {
  std::string bytes;
  std::vector<size_t> characters;
  std::vector<Symbol> symbols;

  // A character without a piece is its bytes from the start where merges may know them, else (`byte_pieces` is nullptr)
  // whole until no other joins it.
  Symbols(const Characters& text, Range word, const Vocabulary& vocabulary, const Piece* const* byte_pieces) {
    for (size_t i = word.begin; i < word.end; ++i) {
      const size_t begin = bytes.size();
      append_utf8(text.codes[i], bytes);
      characters.resize(bytes.size(), i);
      const Piece* piece = vocabulary.find(part(begin, bytes.size()));
      if (piece != nullptr || byte_pieces == nullptr) {
        symbols.push_back({begin, bytes.size(), piece == nullptr ? kNoPiece : piece->id});
        continue;
      }
      for (size_t b = begin; b < bytes.size(); ++b)
        symbols.push_back({b, b + 1, byte_pieces[static_cast<unsigned char>(bytes[b])]->id});
    }
  }

  std::string_view part(size_t begin, size_t end) const { return std::string_view(bytes).substr(begin, end - begin); }
};

// What two neighbours become.
struct Join {
  const Symbols& word;
  const Vocabulary& vocabulary;
  const Symbol &left, &right;

  std::optional<Merge> operator()(const PieceScores& scores) const {
    const Piece* piece = vocabulary.find(word.part(left.begin, right.end));
    const auto score = piece == nullptr ? scores.end() : scores.find(piece->id);
    if (score == scores.end()) return std::nullopt;
    return Merge{-score->second, piece->id};
  }
  std::optional<Merge> operator()(const MergeTable& merges) const { return merges.find(left.id, right.id); }
};

}  // namespace

std::string byte_fallback_piece(unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return {'<', '0', 'x', kDigits[byte / 16], kDigits[byte % 16], '>'};
}

std::optional<std::string> byte_without_piece(const Vocabulary& vocabulary) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string piece = byte_fallback_piece(static_cast<unsigned char>(byte));
    if (vocabulary.find(piece) == nullptr) return piece;
  }
  return std::nullopt;
}

std::string bytes_of_character_piece(std::string_view piece) {
  unsigned byte = 0;
  if (piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with('>')) {
    std::from_chars(piece.data() + 3, piece.data() + 5, byte, 16);
    if (piece == byte_fallback_piece(static_cast<unsigned char>(byte))) return std::string(1, static_cast<char>(byte));
  }
  std::string bytes;
  for (size_t at = 0; at < piece.size();) {
    const bool space = piece.substr(at).starts_with(kSpaceMarkText);
    bytes += space ? ' ' : piece[at];
    at += space ? kSpaceMarkText.size() : 1;
  }
  return bytes;
}

CharacterBpe::CharacterBpe(CharacterBpeConfig config, const Vocabulary& vocabulary)
    : config_(std::move(config)), vocabulary_(&vocabulary) {
  for (size_t byte = 0; byte < bytes_.size(); ++byte)
    bytes_[byte] = vocabulary.find(byte_fallback_piece(static_cast<unsigned char>(byte)));
}

void CharacterBpe::encode(const Characters& text, Range range, std::vector<Token>& tokens) const {
  const bool by_scores = std::holds_alternative<PieceScores>(config_.joins);
  Symbols word(text, range, *vocabulary_, by_scores ? nullptr : bytes_.data());
  merge_symbols(word.symbols, [&](const Symbol& left, const Symbol& right) {
    return std::visit(Join{word, *vocabulary_, left, right}, config_.joins);
  });
  for (const Symbol& symbol : word.symbols) {
    const Span span = text.span_of({word.characters[symbol.begin], word.characters[symbol.end - 1] + 1});
    const auto append = [&](const Piece& piece) {
      tokens.push_back({.id = piece.id, .piece = piece.text, .span = span, .special = false});
    };
    if (symbol.id != kNoPiece) {
      append(*vocabulary_->find(symbol.id));
      continue;
    }
    for (const char byte : word.part(symbol.begin, symbol.end)) append(*bytes_[static_cast<unsigned char>(byte)]);
  }
}

}  // namespace limelight::detail
