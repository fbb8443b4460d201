// What a Tokenizer is made of.
#pragma once

#include <variant>
#include <vector>

#include "limelight/tokenizer.h"
#include "model/tokenizer_config.h"

namespace limelight {

struct Tokenizer::State {
  // Models look into the vocabulary, so a State stays where it is.
  explicit State(detail::TokenizerConfig config);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  detail::Characters normalized(const detail::Characters& text) const;
  Token added_token(const detail::AddedToken& token, const detail::Characters& text, detail::Range range) const;
  void encode_raw(const detail::Characters& text, std::vector<Token>& tokens) const;
  void encode_normalized(const detail::Characters& text, std::vector<Token>& tokens) const;
  void encode_stretch(const detail::Characters& text, std::vector<Token>& tokens) const;

  detail::Vocabulary vocabulary;
  std::variant<detail::NoNormalizer, detail::BertNormalizer, detail::NfcNormalizer, detail::SpaceMarkNormalizer>
      normalizer;
  detail::Pretokenizer pretokenizer;
  bool trims_spans = false;
  std::string continuing_prefix;  // WordPiece's "##"
  std::variant<detail::WordPiece, detail::ByteLevelBpe, detail::CharacterBpe> model;
  detail::AddedTokens added_raw, added_normalized;
  std::unordered_map<int32_t, bool> added_special;  // id of an added token -> it is special
  detail::LeadingSpace leading_space;
  std::vector<detail::Piece> before, after;
  std::optional<int32_t> first_id, last_id;
};

}  // namespace limelight
