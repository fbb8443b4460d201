// What a Hugging Face tokenizer.json says, checked field by field.
#include "model/tokenizer_json.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "model/json_field.h"

namespace limelight::detail {
namespace {

constexpr int64_t kMaxId = std::numeric_limits<int32_t>::max();

// Every token of the file, to find what is named twice and what is named but not there.
class TokenTable {
 public:
  void add(int32_t id, const std::string& text, const JsonField& field) {
    const auto [known, is_new] = ids_.emplace(text, id);
    if (known->second != id)
      field.refuse("the id " + std::to_string(known->second) + " the vocabulary gives this token");
    size_ = std::max(size_, int64_t{id} + 1);
    if (is_new && !taken_.insert(id).second) field.refuse("an id that no other token has");
  }

  Piece find(const JsonField& field) const {
    const auto known = ids_.find(field.as_string());
    if (known == ids_.end()) field.refuse("a token of the vocabulary");
    return {known->second, known->first};
  }

  int64_t size() const { return size_; }  // one more than the largest id

 private:
  int64_t size_ = 0;
  std::unordered_map<std::string, int32_t> ids_;
  std::unordered_set<int32_t> taken_;
};

JsonField step(const JsonField& root, const char* name, const std::string& type) {
  const JsonField field = root[name];
  if (field["type"].as_string() != type) field["type"].refuse(type);
  return field;
}

int32_t read_id(const JsonField& field) {
  return static_cast<int32_t>(field.as_integer(0, kMaxId));
}

BertNormalizer read_normalizer(const JsonField& field) {
  BertNormalizer normalizer{.clean_text = field["clean_text"].as_bool(),
                            .handle_chinese_chars = field["handle_chinese_chars"].as_bool(),
                            .strip_accents = false,
                            .lowercase = field["lowercase"].as_bool()};
  const auto strip_accents = field.find("strip_accents");
  normalizer.strip_accents = strip_accents ? strip_accents->as_bool() : normalizer.lowercase;
  return normalizer;
}

WordPieceConfig read_model(const JsonField& field, TokenTable& table) {
  WordPieceConfig model;
  field["vocab"].each_member([&](const std::string& text, const JsonField& id) {
    model.vocabulary.push_back({read_id(id), text});
    table.add(model.vocabulary.back().id, text, id);
  });
  model.unknown = table.find(field["unk_token"]);
  model.continuing_subword_prefix = field["continuing_subword_prefix"].as_string();
  model.max_input_chars_per_word = field["max_input_chars_per_word"].as_integer(1, kMaxId);
  return model;
}

std::vector<AddedToken> read_added_tokens(const JsonField& field, TokenTable& table) {
  std::vector<AddedToken> tokens;
  field.each([&](const JsonField& entry) {
    const std::string& content = entry["content"].as_string();
    if (content.empty()) entry["content"].refuse("a token that is not empty");
    tokens.push_back({.piece = {read_id(entry["id"]), content},
                      .single_word = entry["single_word"].as_bool(),
                      .lstrip = entry["lstrip"].as_bool(),
                      .rstrip = entry["rstrip"].as_bool(),
                      .normalized = entry["normalized"].as_bool()});
    entry["special"].as_bool();  // says what a decoder leaves out
    table.add(tokens.back().piece.id, content, entry["id"]);
  });
  return tokens;
}

// ["[SEP]", 102]
Piece read_pair(const JsonField& field, const TokenTable& table) {
  std::vector<JsonField> items;
  field.each([&](const JsonField& item) { items.push_back(item); });
  if (items.size() != 2) field.refuse("a token and its id");
  const Piece piece = table.find(items[0]);
  if (read_id(items[1]) != piece.id) items[1].refuse("the token's id " + std::to_string(piece.id));
  return piece;
}

// {"id": "[CLS]", "ids": [101], "tokens": ["[CLS]"]}
std::vector<Piece> read_special_token(const JsonField& field, const TokenTable& table) {
  field["id"].as_string();
  std::vector<Piece> pieces;
  field["tokens"].each([&](const JsonField& token) { pieces.push_back(table.find(token)); });
  size_t count = 0;
  field["ids"].each([&](const JsonField& id) {
    if (count == pieces.size()) field["ids"].refuse("as many as tokens");
    if (read_id(id) != pieces[count].id) id.refuse("the token's id " + std::to_string(pieces[count].id));
    ++count;
  });
  if (count != pieces.size()) field["ids"].refuse("as many as tokens");
  return pieces;
}

void read_template(const JsonField& field, const TokenTable& table, TokenizerFile& file) {
  bool after = false;  // the sequence has been passed
  field["single"].each([&](const JsonField& item) {
    if (const auto special = item.find("SpecialToken")) {
      (*special)["type_id"].as_integer(0, kMaxId);
      const auto pieces = read_special_token(field["special_tokens"][(*special)["id"].as_string()], table);
      auto& side = after ? file.after : file.before;
      side.insert(side.end(), pieces.begin(), pieces.end());
    } else {
      const JsonField sequence = item["Sequence"];
      sequence["type_id"].as_integer(0, kMaxId);
      if (after || sequence["id"].as_string() != "A") sequence["id"].refuse("A, once");
      after = true;
    }
  });
  if (!after) field["single"].refuse("a Sequence");
}

void read_post_processor(const JsonField& field, const TokenTable& table, TokenizerFile& file) {
  const std::string& type = field["type"].as_string();
  if (type == "TemplateProcessing") {
    read_template(field, table, file);
  } else if (type == "BertProcessing") {
    file.before = {read_pair(field["cls"], table)};
    file.after = {read_pair(field["sep"], table)};
  } else {
    field["type"].refuse("TemplateProcessing or BertProcessing");
  }
}

}  // namespace

TokenizerFile read_tokenizer_json(const std::filesystem::path& path) {
  const JsonFile json(path);
  const JsonField root = json.root();
  TokenizerFile file;
  TokenTable table;
  // The model first: another kind of tokenizer is told by its model's name.
  file.model = read_model(step(root, "model", "WordPiece"), table);
  file.normalizer = read_normalizer(step(root, "normalizer", "BertNormalizer"));
  step(root, "pre_tokenizer", "BertPreTokenizer");
  if (const auto added = root.find("added_tokens")) file.added_tokens = read_added_tokens(*added, table);
  if (const auto post = root.find("post_processor")) read_post_processor(*post, table, file);
  file.vocabulary_size = table.size();
  return file;
}

}  // namespace limelight::detail
