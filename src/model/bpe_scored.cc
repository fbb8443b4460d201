// SentencePiece's BPE, as Llama 2 has it.
#include "model/bpe_scored.h"

#include <charconv>

#include "model/bpe_merging.h"

namespace limelight::detail {
namespace {

constexpr int32_t kNoPiece = -1;

}  // namespace

std::string byte_fallback_piece(unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return {'<', '0', 'x', kDigits[byte / 16], kDigits[byte % 16], '>'};
}

std::string bytes_of_scored_piece(std::string_view piece) {
  unsigned byte = 0;
  if (piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with('>')) {
    std::from_chars(piece.data() + 3, piece.data() + 5, byte, 16);
    if (piece == byte_fallback_piece(static_cast<unsigned char>(byte))) return std::string(1, static_cast<char>(byte));
  }
  constexpr std::string_view kMark = "\u2581";
  std::string bytes;
  for (size_t at = 0; at < piece.size();) {
    const bool space = piece.substr(at).starts_with(kMark);
    bytes += space ? ' ' : piece[at];
    at += space ? kMark.size() : 1;
  }
  return bytes;
}

ScoredBpe::ScoredBpe(ScoredBpeConfig config, const Vocabulary& vocabulary)
    : config_(std::move(config)), vocabulary_(&vocabulary) {
  for (size_t byte = 0; byte < bytes_.size(); ++byte)
    bytes_[byte] = vocabulary.find(byte_fallback_piece(static_cast<unsigned char>(byte)));
}

void ScoredBpe::encode(const Characters& text, Range word, std::vector<Token>& tokens) const {
  std::string bytes;
  std::vector<Symbol> symbols;
  std::vector<size_t> characters;  // that each byte came from
  const auto piece_of = [&](size_t begin, size_t end) {
    return vocabulary_->find(std::string_view(bytes).substr(begin, end - begin));
  };
  for (size_t i = word.begin; i < word.end; ++i) {
    const size_t begin = bytes.size();
    append_utf8(text.codes[i] == U' ' ? kSpaceMark : text.codes[i], bytes);
    characters.resize(bytes.size(), i);
    const Piece* piece = piece_of(begin, bytes.size());
    symbols.push_back({begin, bytes.size(), piece == nullptr ? kNoPiece : piece->id});
  }
  merge_symbols(symbols, [&](const Symbol& left, const Symbol& right) -> std::optional<Merge> {
    const Piece* piece = piece_of(left.begin, right.end);
    const auto score = piece == nullptr ? config_.scores.end() : config_.scores.find(piece->id);
    if (score == config_.scores.end()) return std::nullopt;
    return Merge{-score->second, piece->id};
  });
  for (const Symbol& symbol : symbols) {
    const Span span = text.span_of({characters[symbol.begin], characters[symbol.end - 1] + 1});
    const auto append = [&](const Piece& piece) {
      tokens.push_back({.id = piece.id, .piece = piece.text, .span = span, .special = false});
    };
    if (symbol.id != kNoPiece) {
      append(*vocabulary_->find(symbol.id));
      continue;
    }
    for (size_t i = symbol.begin; i < symbol.end; ++i) append(*bytes_[static_cast<unsigned char>(bytes[i])]);
  }
}

}  // namespace limelight::detail
