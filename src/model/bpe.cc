// Byte-level BPE: a word's bytes join to pieces in the order the merges were learnt.
#include "model/bpe.h"

#include "model/byte_level.h"

namespace limelight::detail {
namespace {

uint64_t key_of(int32_t left, int32_t right) {
  return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
}

// A word's bytes, each with the character it came from.
struct Bytes {
  std::string bytes;
  std::vector<size_t> characters;

  Bytes(const Characters& text, Range word) {
    for (size_t i = word.begin; i < word.end; ++i) {
      append_utf8(text.codes[i], bytes);
      characters.resize(bytes.size(), i);
    }
  }
};

}  // namespace

std::optional<std::string> MergeTable::add(const Vocabulary& vocabulary, std::string_view left,
                                           std::string_view right) {
  const Piece* pieces[] = {vocabulary.find(left), vocabulary.find(right),
                           vocabulary.find(std::string(left).append(right))};
  for (const Piece* piece : pieces) {
    if (piece == nullptr) return "two pieces of the vocabulary that together are one of it";
  }
  const Merge merge{static_cast<double>(merges_.size()), pieces[2]->id};
  if (!merges_.emplace(key_of(pieces[0]->id, pieces[1]->id), merge).second) return "a pair that is not there before";
  return std::nullopt;
}

std::optional<std::string> MergeTable::add(const Vocabulary& vocabulary, std::string_view pair) {
  const size_t space = pair.find(' ');
  if (space == 0 || space >= pair.size() - 1 || pair.find(' ', space + 1) != std::string_view::npos)
    return "two pieces with a space between";
  return add(vocabulary, pair.substr(0, space), pair.substr(space + 1));
}

std::optional<Merge> MergeTable::find(int32_t left, int32_t right) const {
  const auto found = merges_.find(key_of(left, right));
  return found == merges_.end() ? std::nullopt : std::optional(found->second);
}

ByteLevelBpe::ByteLevelBpe(ByteLevelBpeConfig config, const Vocabulary& vocabulary)
    : config_(std::move(config)), vocabulary_(&vocabulary) {
  for (size_t byte = 0; byte < byte_ids_.size(); ++byte) {
    const Piece* piece = vocabulary.find(piece_of_byte(static_cast<unsigned char>(byte)));
    byte_ids_[byte] = piece != nullptr ? std::optional(piece->id) : config_.unknown;
  }
}

void ByteLevelBpe::encode(const Characters& text, Range word, std::vector<Token>& tokens) const {
  const auto [bytes, characters] = Bytes(text, word);
  const auto append = [&](const Piece& piece, size_t begin, size_t end) {
    Span span = text.span_of({characters[begin], characters[end - 1] + 1});
    for (size_t i = begin; config_.trim_spans && i < end && bytes[i] == ' '; ++i)
      span.begin = text.spans[characters[i]].end;
    for (size_t i = end; config_.trim_spans && i > begin && bytes[i - 1] == ' '; --i)
      span.end = std::max(span.begin, text.spans[characters[i - 1]].begin);
    tokens.push_back({.id = piece.id, .piece = piece.text, .span = span, .special = false});
  };
  if (config_.whole_words_first) {
    std::string whole;
    for (const char byte : bytes) append_utf8(character_of_byte(static_cast<unsigned char>(byte)), whole);
    if (const Piece* piece = vocabulary_->find(whole)) return append(*piece, 0, bytes.size());
  }
  std::vector<Symbol> symbols;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (const auto id = byte_ids_[static_cast<unsigned char>(bytes[i])]) symbols.push_back({i, i + 1, *id});
  }
  merge_symbols(symbols,
                [&](const Symbol& left, const Symbol& right) { return config_.merges.find(left.id, right.id); });
  for (const Symbol& symbol : symbols) append(*vocabulary_->find(symbol.id), symbol.begin, symbol.end);
}

}  // namespace limelight::detail
