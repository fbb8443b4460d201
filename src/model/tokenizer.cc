// From text to pieces: added tokens, normalisation, words, the model, and the template around them.
#include "limelight/tokenizer.h"

#include "model/nfc.h"
#include "model/tokenizer_gguf.h"
#include "model/tokenizer_json.h"
#include "model/tokenizer_state.h"
#include "model/unicode.h"

namespace limelight {

using detail::AddedTokens;
using detail::Characters;
using detail::Range;

namespace {

using Model = std::variant<detail::WordPiece, detail::ByteLevelBpe, detail::CharacterBpe>;

struct MakeModel {
  const detail::Vocabulary& vocabulary;

  Model operator()(detail::WordPieceConfig& config) const { return detail::WordPiece(std::move(config)); }
  Model operator()(detail::ByteLevelBpeConfig& config) const {
    return detail::ByteLevelBpe(std::move(config), vocabulary);
  }
  Model operator()(detail::CharacterBpeConfig& config) const {
    return detail::CharacterBpe(std::move(config), vocabulary);
  }
};

struct Normalize {
  const Characters& text;

  Characters operator()(const detail::NoNormalizer&) const { return text; }
  Characters operator()(const detail::BertNormalizer& normalizer) const { return normalizer.normalize(text); }
  Characters operator()(const detail::NfcNormalizer&) const { return detail::compose_nfc(text); }
  Characters operator()(const detail::SpaceMarkNormalizer& normalizer) const { return normalizer.normalize(text); }
};

std::string prefix_of(const detail::TokenizerConfig& config) {
  const auto* wordpiece = std::get_if<detail::WordPieceConfig>(&config.model);
  return wordpiece == nullptr ? "" : wordpiece->continuing_subword_prefix;
}

bool trims_spans_of(const detail::TokenizerConfig& config) {
  const auto* bpe = std::get_if<detail::ByteLevelBpeConfig>(&config.model);
  return bpe != nullptr && bpe->trim_spans;
}

Token token_of(const detail::Piece& piece, Span span, bool special) {
  return {.id = piece.id, .piece = piece.text, .span = span, .special = special};
}

}  // namespace

Tokenizer::State::State(detail::TokenizerConfig config)
    : vocabulary(std::move(config.vocabulary)),
      normalizer(config.normalizer),
      pretokenizer(std::move(config.pretokenizer)),
      trims_spans(trims_spans_of(config)),
      continuing_prefix(prefix_of(config)),
      model(std::visit(MakeModel{vocabulary}, config.model)),
      leading_space(config.leading_space),
      before(std::move(config.before)),
      after(std::move(config.after)),
      first_id(config.first_id),
      last_id(config.last_id) {
  for (const detail::AddedToken& token : config.added_tokens) {
    const Characters content = detail::decode_utf8(token.piece.text, "Tokenizer");
    if (token.normalized) {
      added_normalized.add(token, normalized(content).codes);
    } else {
      added_raw.add(token, content.codes);
    }
    added_special.emplace(token.piece.id, token.special);
  }
}

Characters Tokenizer::State::normalized(const Characters& text) const {
  return std::visit(Normalize{text}, normalizer);
}

Token Tokenizer::State::added_token(const detail::AddedToken& token, const Characters& text, Range range) const {
  const auto is_space = [&](size_t i) { return detail::is_white_space(text.codes[i]); };
  while (trims_spans && range.begin + 1 < range.end && is_space(range.begin)) ++range.begin;
  while (trims_spans && range.begin + 1 < range.end && is_space(range.end - 1)) --range.end;
  return token_of(token.piece, text.span_of(range), false);
}

void Tokenizer::State::encode_raw(const Characters& text, std::vector<Token>& tokens) const {
  for (const auto& [range, token] : added_raw.split(text.codes)) {
    if (token != nullptr) {
      tokens.push_back(added_token(*token, text, range));
    } else {
      encode_normalized(normalized(text.part(range)), tokens);
    }
  }
}

void Tokenizer::State::encode_normalized(const Characters& text, std::vector<Token>& tokens) const {
  for (const auto& [range, token] : added_normalized.split(text.codes)) {
    if (token != nullptr) {
      tokens.push_back(added_token(*token, text, range));
    } else {
      encode_stretch(pretokenizer.prepared(text.part(range)), tokens);
    }
  }
}

void Tokenizer::State::encode_stretch(const Characters& text, std::vector<Token>& tokens) const {
  const auto encode_words = [&](const auto& pieces) {
    for (const Range word : pretokenizer.split(text.codes)) pieces.encode(text, word, tokens);
  };
  std::visit(encode_words, model);
}

Tokenizer::Tokenizer(detail::TokenizerConfig config) : state_(std::make_unique<State>(std::move(config))) {}
Tokenizer::Tokenizer(const GgufFile& file) : Tokenizer(detail::tokenizer_config(detail::tokenizer_parts(file))) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::load(const std::filesystem::path& path) {
  if (GgufFile::recognises(path)) return Tokenizer(GgufFile::open(path));
  return Tokenizer(detail::read_tokenizer_json(path));
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
  return state_->vocabulary.size();
}

bool Tokenizer::has_piece(int32_t id) const {
  return state_->vocabulary.find(id) != nullptr;
}

std::optional<int32_t> Tokenizer::find(std::string_view piece) const {
  const detail::Piece* found = state_->vocabulary.find(piece);
  return found == nullptr ? std::nullopt : std::optional(found->id);
}

std::optional<int32_t> Tokenizer::first_id() const {
  return state_->first_id;
}

std::optional<int32_t> Tokenizer::last_id() const {
  return state_->last_id;
}

}  // namespace limelight
