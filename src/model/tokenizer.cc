// From text to pieces: added tokens, normalisation, words, WordPiece, and the template around them.
#include "limelight/tokenizer.h"

#include <algorithm>

#include "model/tokenizer_json.h"

namespace limelight {

using detail::AddedTokens;
using detail::Characters;
using detail::Range;

struct Tokenizer::State {
  detail::BertNormalizer normalizer;
  detail::WordPiece model;
  AddedTokens added_raw, added_normalized;
  std::vector<detail::Piece> before, after;
  int64_t vocabulary_size = 0;

  explicit State(detail::TokenizerFile file);
  void encode_raw(const Characters& text, std::vector<Token>& tokens) const;
  void encode_normalized(const Characters& text, std::vector<Token>& tokens) const;
};

namespace {

Token token_of(const detail::Piece& piece, Span span, bool special) {
  return {.id = piece.id, .piece = piece.text, .span = span, .special = special};
}

}  // namespace

Tokenizer::State::State(detail::TokenizerFile file)
    : normalizer(file.normalizer),
      model(std::move(file.model)),
      before(std::move(file.before)),
      after(std::move(file.after)),
      vocabulary_size(file.vocabulary_size) {
  for (const detail::AddedToken& token : file.added_tokens) {
    const Characters content = detail::decode_utf8(token.piece.text, "Tokenizer::load");
    if (token.normalized) {
      added_normalized.add(token, normalizer.normalize(content).codes);
    } else {
      added_raw.add(token, content.codes);
    }
  }
}

void Tokenizer::State::encode_raw(const Characters& text, std::vector<Token>& tokens) const {
  for (const auto& [range, token] : added_raw.split(text.codes)) {
    if (token != nullptr) {
      tokens.push_back(token_of(token->piece, text.span_of(range), false));
    } else {
      encode_normalized(normalizer.normalize(text.part(range)), tokens);
    }
  }
}

void Tokenizer::State::encode_normalized(const Characters& text, std::vector<Token>& tokens) const {
  for (const auto& [range, token] : added_normalized.split(text.codes)) {
    if (token != nullptr) {
      tokens.push_back(token_of(token->piece, text.span_of(range), false));
      continue;
    }
    for (const Range word : detail::split_words(text.codes_of(range))) {
      model.encode(text, {range.begin + word.begin, range.begin + word.end}, tokens);
    }
  }
}

Tokenizer::Tokenizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::load(const std::filesystem::path& tokenizer_json) {
  return Tokenizer(std::make_unique<State>(detail::read_tokenizer_json(tokenizer_json)));
}

std::vector<Token> Tokenizer::encode(std::string_view text) const {
  const Characters characters = detail::decode_utf8(text, "Tokenizer::encode");
  std::vector<Token> tokens;
  for (const detail::Piece& piece : state_->before) tokens.push_back(token_of(piece, {}, true));
  state_->encode_raw(characters, tokens);
  for (const detail::Piece& piece : state_->after) tokens.push_back(token_of(piece, {}, true));
  return tokens;
}

int64_t Tokenizer::vocabulary_size() const {
  return state_->vocabulary_size;
}

}  // namespace limelight
