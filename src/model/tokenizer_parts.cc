// A tokenizer as GGUF metadata tells it.
#include "model/tokenizer_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "model/quoted_name.h"

namespace limelight::detail {
namespace {

// What token_types say.
enum TokenType : int64_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

class Reader {
 public:
  explicit Reader(const TokenizerParts& parts) : parts_(parts) {}

  TokenizerConfig read() {
    if (parts_.model != "gpt2" && parts_.model != "llama") refuse("model", "gpt2 or llama", in_quotes(parts_.model));
    read_tokens();
    if (parts_.model == "gpt2") {
      read_byte_level();
    } else {
      read_scored();
    }
    read_template(parts_.model == "llama" || is_llama3());
    return std::move(config_);
  }

 private:
  [[noreturn]] void refuse(const std::string& field, const std::string& expected, const std::string& found) const {
    fail_format(parts_.file + ": metadata 'tokenizer.ggml." + field + "': expected " + expected + ", found " + found);
  }
  static std::string element(const char* field, size_t i) { return field + ("[" + std::to_string(i) + "]"); }
  bool is_llama3() const { return parts_.pre == "llama-bpe" || parts_.pre == "llama3" || parts_.pre == "llama-v3"; }
  void expect_one_each(const char* field, size_t found) const;
  TokenType type_of(size_t id) const;

  void read_tokens();
  void read_pre();
  void read_byte_level();
  void read_scored();
  void read_template(bool begins);
  const Piece& template_piece(const char* field, const std::optional<int64_t>& id) const;

  const TokenizerParts& parts_;
  TokenizerConfig config_;
};

void Reader::expect_one_each(const char* field, size_t found) const {
  if (found == parts_.tokens.size()) return;
  refuse(field, std::to_string(parts_.tokens.size()) + " values, one for each token", std::to_string(found));
}

TokenType Reader::type_of(size_t id) const {
  return parts_.token_types.empty() ? kNormal : static_cast<TokenType>(parts_.token_types[id]);
}

void Reader::read_tokens() {
  const size_t count = parts_.tokens.size();
  if (count == 0 || count > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    refuse("tokens", "1 to 2147483647 tokens", std::to_string(count));
  if (!parts_.token_types.empty()) expect_one_each("token_type", parts_.token_types.size());
  config_.vocabulary.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const std::string_view text = parts_.tokens[i];
    const auto id = static_cast<int32_t>(i);
    const TokenType type = type_of(i);
    if (type < kNormal || type > kByte) refuse(element("token_type", i), "1 to 6", std::to_string(type));
    if (text.empty() || !is_utf8(text))
      refuse(element("tokens", i), "UTF-8 that is not empty", std::to_string(text.size()) + " bytes");
    if (config_.vocabulary.add(id, text)) refuse(element("tokens", i), "a token that no other id has", in_quotes(text));
    if (type != kUnknown && type != kControl && type != kUserDefined) continue;
    AddedToken& token = config_.added_tokens.emplace_back();
    token.piece = {id, std::string(text)};
    token.special = type != kUserDefined;
  }
}

void Reader::read_pre() {
  const std::string_view pre = parts_.pre;
  auto& steps = config_.pretokenizer.steps;
  if (pre == "gpt-2") {
    steps = {WordStep::kGpt2};
  } else if (pre == "smollm") {
    steps = {WordStep::kDigits, WordStep::kGpt2};
  } else if (is_llama3()) {
    steps = {WordStep::kLlama3};
  } else if (pre == "qwen2") {
    steps = {WordStep::kQwen2};
    config_.normalizer = NfcNormalizer{};
  } else if (pre == "default") {
    // What llama.cpp does with a file that tells no more.
    steps = {WordStep::kSymbolRuns, WordStep::kGpt2, WordStep::kDigitRuns, WordStep::kDigitTriples};
  } else {
    refuse("pre", "gpt-2, smollm, llama-bpe, qwen2 or default", in_quotes(pre));
  }
}

void Reader::read_byte_level() {
  read_pre();
  ByteLevelBpeConfig model;
  model.whole_words_first = is_llama3();
  model.merges.reserve(parts_.merges.size());
  for (size_t i = 0; i < parts_.merges.size(); ++i) {
    const std::string_view merge = parts_.merges[i];
    if (const auto expected = model.merges.add(config_.vocabulary, merge))
      refuse(element("merges", i), *expected, in_quotes(merge));
  }
  if (parts_.add_space_prefix.value_or(false)) config_.pretokenizer.prefix = TextPrefix::kMissingSpace;
  config_.model = std::move(model);
}

void Reader::read_scored() {
  expect_one_each("scores", parts_.scores.size());
  PieceScores scores;
  for (size_t i = 0; i < parts_.scores.size(); ++i) {
    if (!std::isfinite(parts_.scores[i]))
      refuse(element("scores", i), "a finite number", std::to_string(parts_.scores[i]));
    const TokenType type = type_of(i);
    if (type == kUnknown || type == kControl || type == kByte) continue;  // no characters join to these
    scores.emplace(static_cast<int32_t>(i), parts_.scores[i]);
  }
  if (const auto byte = byte_without_piece(config_.vocabulary))
    refuse("tokens", "a token for each byte", "none for " + *byte);
  const bool prepends = parts_.add_space_prefix.value_or(true);
  config_.normalizer = SpaceMarkNormalizer{.prepends = prepends, .replaces = true};
  if (prepends) config_.leading_space = LeadingSpace::kOfAStretchGoes;
  config_.model = CharacterBpeConfig{std::move(scores)};
}

const Piece& Reader::template_piece(const char* field, const std::optional<int64_t>& id) const {
  const auto count = static_cast<int64_t>(parts_.tokens.size());
  if (!id) refuse(field, "the id of a token", "none");
  if (*id < 0 || *id >= count) refuse(field, "0 to " + std::to_string(count - 1), std::to_string(*id));
  return *config_.vocabulary.find(static_cast<int32_t>(*id));
}

void Reader::read_template(bool begins) {
  const bool add_bos = parts_.add_bos.value_or(begins), add_eos = parts_.add_eos.value_or(false);
  if (parts_.bos || add_bos) config_.first_id = template_piece("bos_token_id", parts_.bos).id;
  if (parts_.eos || add_eos) config_.last_id = template_piece("eos_token_id", parts_.eos).id;
  if (add_bos) config_.before = {*config_.vocabulary.find(*config_.first_id)};
  if (add_eos) config_.after = {*config_.vocabulary.find(*config_.last_id)};
}

}  // namespace

TokenizerConfig tokenizer_config(const TokenizerParts& parts) {
  return Reader(parts).read();
}

}  // namespace limelight::detail
