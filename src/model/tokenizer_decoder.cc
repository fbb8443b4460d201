// From pieces back to text, whole or as they come; never a part of a character.
#include "core/error.h"
#include "model/byte_level.h"
#include "model/tokenizer_state.h"

namespace limelight {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

// The bytes that a piece adds to the text, as the kind of model has it.
struct BytesOf {
  const std::string& piece;
  bool added;     // an added token stands for itself
  bool at_start;  // of a stretch of text, or of the whole
  const std::string& continuing_prefix;
  bool strips_space;  // one at the start is not the text's

  std::string operator()(const detail::WordPiece&) const {
    if (at_start) return piece;
    const bool continues = !added && !continuing_prefix.empty() && piece.starts_with(continuing_prefix);
    return continues ? piece.substr(continuing_prefix.size()) : " " + piece;
  }

  std::string operator()(const detail::ByteLevelBpe&) const {
    return added ? piece : detail::bytes_of_piece(piece).value_or(piece);
  }

  std::string operator()(const detail::CharacterBpe&) const {
    if (added) return piece;
    std::string bytes = detail::bytes_of_character_piece(piece);
    return at_start && strips_space && bytes.starts_with(' ') ? bytes.substr(1) : bytes;
  }
};

// Moves the whole characters at the front of `held` out of it, U+FFFD for what is none.
std::string take_whole(std::string& held) {
  std::string text;
  std::string_view rest = held;
  while (!rest.empty()) {
    const auto [kind, length] = detail::utf8_sequence(rest);
    if (kind == detail::Utf8Sequence::Kind::kCut) break;
    text += kind == detail::Utf8Sequence::Kind::kWhole ? rest.substr(0, length) : kReplacement;
    rest.remove_prefix(length);
  }
  held = std::string(rest);
  return text;
}

}  // namespace

TokenDecoder::TokenDecoder(const Tokenizer& tokenizer, const DecodeOptions& options)
    : tokenizer_(&tokenizer), options_(options), at_start_(!options.continued) {}

std::string TokenDecoder::push(int32_t id) {
  const Tokenizer::State& state = *tokenizer_->state_;
  const detail::Piece* piece = state.vocabulary.find(id);
  if (piece == nullptr) {
    detail::fail_argument("[TokenDecoder::push] id: expected one of a piece, 0 to " +
                          std::to_string(state.vocabulary.size() - 1) + ", found " + std::to_string(id));
  }
  const auto found = state.added_special.find(id);
  const bool added = found != state.added_special.end();
  const bool shown = !added || !found->second || options_.special;
  if (shown) {
    const bool strips_space = state.leading_space != detail::LeadingSpace::kStays;
    held_ += std::visit(BytesOf{piece->text, added, at_start_, state.continuing_prefix, strips_space}, state.model);
  }
  // A stretch of text begins anew after an added token, but where the start is that of the whole.
  const bool across = std::holds_alternative<detail::WordPiece>(state.model) ||
                      state.leading_space == detail::LeadingSpace::kOfTheTextGoes;
  at_start_ = added && (across ? at_start_ && !shown : true);
  return take_whole(held_);
}

std::string TokenDecoder::finish() {
  std::string text(held_.empty() ? "" : kReplacement);
  *this = TokenDecoder(*tokenizer_, options_);
  return text;
}

std::string Tokenizer::decode(std::span<const int32_t> ids, const DecodeOptions& options) const {
  TokenDecoder decoder(*this, options);
  std::string text;
  for (const int32_t id : ids) text += decoder.push(id);
  return text + decoder.finish();
}

}  // namespace limelight
