// What a Hugging Face tokenizer.json says, checked field by field.
#include "model/tokenizer_json.h"

#include <limits>

#include "model/json_field.h"
#include "model/tokenizer_json_characters.h"
#include "model/tokenizer_json_steps.h"

namespace limelight::detail {
namespace {

void read_added_tokens(const JsonField& field, TokenizerConfig& config) {
  field.each([&](const JsonField& entry) {
    const std::string& content = entry["content"].as_string();
    if (content.empty()) entry["content"].refuse("a token that is not empty");
    add_to_vocabulary(config.vocabulary, content, entry["id"]);
    config.added_tokens.push_back({.piece = {read_id(entry["id"]), content},
                                   .single_word = entry["single_word"].as_bool(),
                                   .lstrip = entry["lstrip"].as_bool(),
                                   .rstrip = entry["rstrip"].as_bool(),
                                   .normalized = entry["normalized"].as_bool(),
                                   .special = entry["special"].as_bool()});
  });
}

// ["[SEP]", 102]
Piece read_pair(const JsonField& field, const Vocabulary& vocabulary) {
  std::vector<JsonField> items;
  field.each([&](const JsonField& item) { items.push_back(item); });
  if (items.size() != 2) field.refuse("a token and its id");
  const Piece piece = find_in_vocabulary(vocabulary, items[0]);
  if (read_id(items[1]) != piece.id) items[1].refuse("the token's id " + std::to_string(piece.id));
  return piece;
}

// {"id": "[CLS]", "ids": [101], "tokens": ["[CLS]"]}
std::vector<Piece> read_special_token(const JsonField& field, const Vocabulary& vocabulary) {
  field["id"].as_string();
  std::vector<Piece> pieces;
  field["tokens"].each([&](const JsonField& token) { pieces.push_back(find_in_vocabulary(vocabulary, token)); });
  size_t count = 0;
  field["ids"].each([&](const JsonField& id) {
    if (count == pieces.size()) field["ids"].refuse("as many as tokens");
    if (read_id(id) != pieces[count].id) id.refuse("the token's id " + std::to_string(pieces[count].id));
    ++count;
  });
  if (count != pieces.size()) field["ids"].refuse("as many as tokens");
  return pieces;
}

void read_type(const JsonField& item) {
  item["type_id"].as_integer(0, std::numeric_limits<int32_t>::max());
}

void read_template(const JsonField& field, TokenizerConfig& config) {
  bool after = false;  // the sequence has been passed
  field["single"].each([&](const JsonField& item) {
    if (const auto special = item.find("SpecialToken")) {
      read_type(*special);
      const JsonField token = field["special_tokens"][(*special)["id"].as_string()];
      const auto pieces = read_special_token(token, config.vocabulary);
      auto& side = after ? config.after : config.before;
      side.insert(side.end(), pieces.begin(), pieces.end());
    } else {
      const JsonField sequence = item["Sequence"];
      read_type(sequence);
      if (after || sequence["id"].as_string() != "A") sequence["id"].refuse("A, once");
      after = true;
    }
  });
  if (!after) field["single"].refuse("a Sequence");
}

// Of ByteLevel and RobertaProcessing.
void read_trimming(const JsonField& field, TokenizerConfig& config) {
  auto* model = std::get_if<ByteLevelBpeConfig>(&config.model);
  if (model == nullptr) field["type"].refuse("a step that only adds special tokens");
  if (field["trim_offsets"].as_bool()) model->trim_spans = true;
}

void read_post_processor(const JsonField& field, TokenizerConfig& config) {
  const JsonField type = field["type"];
  const std::string& name = type.as_string();
  const bool around = name == "TemplateProcessing" || name == "BertProcessing" || name == "RobertaProcessing";
  if (around && !(config.before.empty() && config.after.empty())) type.refuse("one step that adds special tokens");
  if (name == "TemplateProcessing") {
    read_template(field, config);
  } else if (name == "BertProcessing" || name == "RobertaProcessing") {
    config.before = {read_pair(field["cls"], config.vocabulary)};
    config.after = {read_pair(field["sep"], config.vocabulary)};
    if (name == "RobertaProcessing") read_trimming(field, config);
  } else if (name == "ByteLevel") {
    read_trimming(field, config);
  } else if (name == "Sequence") {
    field["processors"].each([&](const JsonField& step) {
      if (step["type"].as_string() == "Sequence") step["type"].refuse("no Sequence in a Sequence");
      read_post_processor(step, config);
    });
  } else {
    type.refuse("TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel or a Sequence of these");
  }
}

// WordPiece's own joining of words needs no decoder.
void read_decoder(const JsonField& root, TokenizerConfig& config) {
  if (std::holds_alternative<CharacterBpeConfig>(config.model)) read_character_decoder(root["decoder"], config);
  const auto decoder = root.find("decoder");
  if (!decoder || !std::holds_alternative<ByteLevelBpeConfig>(config.model)) return;
  if ((*decoder)["type"].as_string() != "ByteLevel") (*decoder)["type"].refuse("ByteLevel");
}

}  // namespace

TokenizerConfig read_tokenizer_json(const std::filesystem::path& path) {
  const JsonFile json(path);
  const JsonField root = json.root();
  TokenizerConfig config;
  // The model first: another kind of tokenizer is told by its model's name.
  read_model(root["model"], config);
  if (const auto normalizer = root.find("normalizer")) read_normalizer(*normalizer, config);
  read_pre_tokenizer(root, config);
  if (const auto added = root.find("added_tokens")) read_added_tokens(*added, config);
  if (const auto post = root.find("post_processor")) read_post_processor(*post, config);
  read_decoder(root, config);
  return config;
}

}  // namespace limelight::detail
