// The steps of a tokenizer.json up to its model.
#include "model/tokenizer_json_steps.h"

#include <limits>
#include <utility>

#include "model/pretokenizer_scanners.h"
#include "model/tokenizer_json_characters.h"

namespace limelight::detail {
namespace {

constexpr int64_t kMaxId = std::numeric_limits<int32_t>::max();

template <class Config>
bool has_model(const TokenizerConfig& config) {
  return std::holds_alternative<Config>(config.model);
}

void read_vocabulary(const JsonField& field, TokenizerConfig& config) {
  field.each_member(
      [&](const std::string& text, const JsonField& id) { add_to_vocabulary(config.vocabulary, text, id); });
}

void read_wordpiece(const JsonField& field, TokenizerConfig& config) {
  WordPieceConfig model;
  read_vocabulary(field["vocab"], config);
  field["vocab"].each_member([&](const std::string& text, const JsonField& id) {
    model.vocabulary.push_back({read_id(id), text});
  });
  model.unknown = find_in_vocabulary(config.vocabulary, field["unk_token"]);
  model.continuing_subword_prefix = field["continuing_subword_prefix"].as_string();
  model.max_input_chars_per_word = field["max_input_chars_per_word"].as_integer(1, kMaxId);
  config.model = std::move(model);
}

// "left right", or ["left", "right"]
void read_merge(const JsonField& field, const Vocabulary& vocabulary, MergeTable& merges) {
  std::vector<std::string> pair;
  if (field.is_array()) {
    field.each([&](const JsonField& side) { pair.push_back(side.as_string()); });
    if (pair.size() != 2) field.refuse("two pieces");
  }
  const auto expected =
      pair.empty() ? merges.add(vocabulary, field.as_string()) : merges.add(vocabulary, pair[0], pair[1]);
  if (expected) field.refuse(*expected);
}

void read_byte_level_bpe(const JsonField& field, MergeTable merges, TokenizerConfig& config) {
  ByteLevelBpeConfig model;
  model.merges = std::move(merges);
  model.whole_words_first = field.flag("ignore_merges");
  const bool fused = field.flag("fuse_unk");
  if (const auto unknown = field.find("unk_token"); unknown && !unknown->as_string().empty()) {
    model.unknown = find_in_vocabulary(config.vocabulary, *unknown).id;
    if (fused) field["fuse_unk"].refuse("false");
  }
  config.model = std::move(model);
}

void read_bpe(const JsonField& field, TokenizerConfig& config) {
  if (const auto dropout = field.find("dropout")) dropout->refuse("null");
  for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const auto affix = field.find(name);
    if (affix && !affix->as_string().empty()) affix->refuse("null or nothing");
  }
  read_vocabulary(field["vocab"], config);
  MergeTable merges;
  field["merges"].each([&](const JsonField& merge) { read_merge(merge, config.vocabulary, merges); });
  if (field.flag("byte_fallback")) {
    read_character_bpe(field, std::move(merges), config);
  } else {
    read_byte_level_bpe(field, std::move(merges), config);
  }
}

// Files older than the field tell a model by what no other has.
std::string model_type(const JsonField& model) {
  if (model.find("type")) return model["type"].as_string();
  if (model.find("merges")) return "BPE";
  if (model.find("max_input_chars_per_word")) return "WordPiece";
  if (model["vocab"].is_array()) model["vocab"].refuse("that of WordPiece or BPE, not Unigram's");
  return model["type"].as_string();
}

BertNormalizer read_bert_normalizer(const JsonField& field) {
  BertNormalizer normalizer{.clean_text = field["clean_text"].as_bool(),
                            .handle_chinese_chars = field["handle_chinese_chars"].as_bool(),
                            .strip_accents = false,
                            .lowercase = field["lowercase"].as_bool()};
  normalizer.strip_accents = field.flag("strip_accents", normalizer.lowercase);
  return normalizer;
}

// A pattern that cuts the text into what it matches; every character is in a match.
WordStep read_split(const JsonField& field) {
  const JsonField pattern = field["pattern"]["Regex"];
  const std::string& text = pattern.as_string();
  const bool inverted = field.flag("invert");
  const std::string& behavior = field["behavior"].as_string();
  if (behavior != (inverted ? "Removed" : "Isolated"))
    field["behavior"].refuse(inverted ? "Removed, as it is inverted" : "Isolated");
  if (text == kGpt2Pattern) return WordStep::kGpt2;
  if (text == kLlama3Pattern) return WordStep::kLlama3;
  if (text == kQwen2Pattern) return WordStep::kQwen2;
  pattern.refuse("the pattern of GPT-2, Llama 3 or Qwen2");
}

WordStep read_punctuation(const JsonField& field) {
  const auto behavior = field.find("behavior");
  if (!behavior || behavior->as_string() == "Isolated") return WordStep::kPunctuation;
  if (behavior->as_string() != "Contiguous") behavior->refuse("Isolated or Contiguous");
  return WordStep::kPunctuationRuns;
}

// The last step of byte-level BPE: what comes after it would see bytes.
void read_byte_level(const JsonField& field, Pretokenizer& pretokenizer) {
  if (field["add_prefix_space"].as_bool()) {
    if (!pretokenizer.steps.empty()) field["add_prefix_space"].refuse("false after another step");
    pretokenizer.prefix = TextPrefix::kMissingSpace;
  }
  field.flag("trim_offsets");  // of the post-processor it counts
  if (field.flag("use_regex", true)) pretokenizer.steps.push_back(WordStep::kGpt2);
}

// Whether it was the last step.
bool read_step(const JsonField& field, Pretokenizer& pretokenizer) {
  const std::string& type = field["type"].as_string();
  if (type == "ByteLevel") {
    read_byte_level(field, pretokenizer);
    return true;
  }
  if (type == "Digits") {
    const bool individual = field["individual_digits"].as_bool();
    pretokenizer.steps.push_back(individual ? WordStep::kDigits : WordStep::kDigitRuns);
  } else if (type == "Split") {
    pretokenizer.steps.push_back(read_split(field));
  } else if (type == "Punctuation") {
    pretokenizer.steps.push_back(read_punctuation(field));
  } else {
    field["type"].refuse("ByteLevel, Digits, Split, Punctuation or a Sequence of these");
  }
  return false;
}

void read_byte_level_steps(const JsonField& field, Pretokenizer& pretokenizer) {
  bool last = false;
  if (field["type"].as_string() == "Sequence") {
    field["pretokenizers"].each([&](const JsonField& step) {
      if (last) step.refuse("nothing after ByteLevel");
      last = read_step(step, pretokenizer);
    });
  } else {
    last = read_step(field, pretokenizer);
  }
  if (!last) field.refuse("ByteLevel as the last step of BPE");
}

}  // namespace

int32_t read_id(const JsonField& field) {
  return static_cast<int32_t>(field.as_integer(0, kMaxId));
}

void add_to_vocabulary(Vocabulary& vocabulary, const std::string& text, const JsonField& id) {
  if (const auto expected = vocabulary.add(read_id(id), text)) id.refuse(*expected);
}

const Piece& find_in_vocabulary(const Vocabulary& vocabulary, const JsonField& token) {
  const Piece* piece = vocabulary.find(token.as_string());
  if (piece == nullptr) token.refuse("a token of the vocabulary");
  return *piece;
}

void read_model(const JsonField& model, TokenizerConfig& config) {
  const std::string type = model_type(model);
  if (type == "WordPiece") {
    read_wordpiece(model, config);
  } else if (type == "BPE") {
    read_bpe(model, config);
  } else {
    model["type"].refuse("WordPiece or BPE");
  }
}

void read_normalizer(const JsonField& normalizer, TokenizerConfig& config) {
  if (has_model<CharacterBpeConfig>(config)) return read_space_marks(normalizer, config);
  const std::string& type = normalizer["type"].as_string();
  if (type == "BertNormalizer") {
    config.normalizer = read_bert_normalizer(normalizer);
  } else if (type == "NFC") {
    config.normalizer = NfcNormalizer{};
  } else {
    normalizer["type"].refuse("BertNormalizer or NFC");
  }
}

void read_pre_tokenizer(const JsonField& root, TokenizerConfig& config) {
  const auto given = root.find("pre_tokenizer");
  if (!given && has_model<CharacterBpeConfig>(config)) return;
  const JsonField field = root["pre_tokenizer"];
  if (has_model<CharacterBpeConfig>(config)) {
    read_metaspace(field, config);
  } else if (has_model<ByteLevelBpeConfig>(config)) {
    read_byte_level_steps(field, config.pretokenizer);
  } else if (field["type"].as_string() == "BertPreTokenizer") {
    config.pretokenizer.steps = {WordStep::kBertWords};
  } else {
    field["type"].refuse("BertPreTokenizer");
  }
}

}  // namespace limelight::detail
