// WordPiece: a word becomes the longest pieces of the vocabulary from left to right, or one unknown token.
#include "model/wordpiece.h"

#include <algorithm>

namespace limelight::detail {

void WordPiece::Pieces::add(std::u32string codes, size_t piece) {
  longest = std::max(longest, codes.size());
  index.emplace(std::move(codes), piece);
}

const size_t* WordPiece::Pieces::longest_match(std::u32string_view rest, size_t& length) const {
  for (length = std::min(longest, rest.size()); length > 0; --length) {
    const auto found = index.find(rest.substr(0, length));
    if (found != index.end()) return &found->second;
  }
  return nullptr;
}

WordPiece::WordPiece(WordPieceConfig config) : config_(std::move(config)) {
  const std::u32string prefix = decode_utf8(config_.continuing_subword_prefix, "WordPiece").codes;
  first_.index.reserve(config_.vocabulary.size());
  for (size_t piece = 0; piece < config_.vocabulary.size(); ++piece) {
    std::u32string codes = decode_utf8(config_.vocabulary[piece].text, "WordPiece").codes;
    if (codes.starts_with(prefix)) next_.add(codes.substr(prefix.size()), piece);
    first_.add(std::move(codes), piece);
  }
}

void WordPiece::encode(const Characters& text, Range word, std::vector<Token>& tokens) const {
  const auto append = [&](const Piece& piece, Range range) {
    tokens.push_back({.id = piece.id, .piece = piece.text, .span = text.span_of(range), .special = false});
  };
  const size_t before = tokens.size();
  bool known = static_cast<int64_t>(word.end - word.begin) <= config_.max_input_chars_per_word;
  for (size_t at = word.begin, length = 0; known && at < word.end; at += length) {
    const Pieces& pieces = at == word.begin ? first_ : next_;
    const size_t* piece = pieces.longest_match(text.codes_of({at, word.end}), length);
    known = piece != nullptr;
    if (known) append(config_.vocabulary[*piece], {at, at + length});
  }
  if (known) return;
  tokens.resize(before);
  append(config_.unknown, word);
}

}  // namespace limelight::detail
