// The pieces of a tokenizer: from text to id and back.
#include "model/vocabulary.h"

#include <algorithm>

namespace limelight::detail {

void Vocabulary::reserve(size_t count) {
  by_text_.reserve(count);
  by_id_.reserve(count);
}

std::optional<std::string> Vocabulary::add(int32_t id, std::string_view text) {
  if (const Piece* known = find(text)) {
    if (known->id == id) return std::nullopt;
    return "the id " + std::to_string(known->id) + " the vocabulary gives this token";
  }
  if (find(id) != nullptr) return "an id that no other token has";
  const Piece& piece = pieces_.emplace_back(Piece{id, std::string(text)});
  by_text_.emplace(piece.text, &piece);
  by_id_.emplace(id, &piece);
  size_ = std::max(size_, int64_t{id} + 1);
  return std::nullopt;
}

const Piece* Vocabulary::find(std::string_view text) const {
  const auto found = by_text_.find(text);
  return found == by_text_.end() ? nullptr : found->second;
}

const Piece* Vocabulary::find(int32_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

}  // namespace limelight::detail
