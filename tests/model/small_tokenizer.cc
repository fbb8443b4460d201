// A tokenizer.json small enough to read.
#include "tests/model/small_tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "limelight/error.h"
#include "tests/model/temporary_folder.h"
#include "tests/model/thrown.h"

namespace limelight::testing {

Json added_token(int id, const std::string& content, const std::vector<std::string>& flags) {
  Json token = {{"id", id}, {"content", content}};
  for (const char* flag : {"single_word", "lstrip", "rstrip", "normalized", "special"}) token[flag] = false;
  for (const std::string& flag : flags) token.at(flag) = true;
  return token;
}

Json small_config() {
  Json config = Json::parse(R"({
    "version": "1.0", "truncation": {"max_length": 2}, "padding": {"length": 9}, "added_tokens": [],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
                   "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                 {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
      "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]},
                         "[SEP]": {"id": "[SEP]", "ids": [2], "tokens": ["[SEP]"]}}},
    "decoder": {"type": "WordPiece"},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100,
              "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "[MASK]": 3, "a": 4, "##a": 5, "hello": 6, "world": 7,
                        ",": 8, "!": 9, "kanto": 10, "lushi": 11, "pok": 12, "x": 13, "y": 14, "is": 15, ".": 16,
                        "##ony": 17, "naive": 18, "é": 19, "##é": 20, "##i": 21, "i": 22, "dette": 23, "er": 24,
                        "na": 25, "##ive": 26}}})");
  for (const char* name : {"[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
    config["added_tokens"].push_back(added_token(config["model"]["vocab"][name], name, {"special"}));
  }
  return config;
}

Tokenizer load_config(const Json& config) {
  const TemporaryFolder folder;
  write_text(folder / "tokenizer.json", config.dump());
  return Tokenizer::load(folder / "tokenizer.json");
}

std::vector<int32_t> ids_of(const std::vector<Token>& tokens) {
  std::vector<int32_t> ids;
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

std::string refusal(const std::string& text) {
  const TemporaryFolder folder;
  const auto path = folder / "tokenizer.json";
  write_text(path, text);
  const std::string message = thrown<FormatError>([&] { Tokenizer::load(path); });
  const std::string name = path.string() + ": ";
  EXPECT_EQ(message.rfind(name, 0), 0u) << message << " for " << text.substr(0, 200);
  EXPECT_EQ(message.find_first_of(std::string("\n\r\0", 3)), std::string::npos) << message;
  EXPECT_LT(message.size(), name.size() + 300);
  return message.substr(std::min(name.size(), message.size()));
}

int refused_of_damaged(const Json& good, uint32_t seed, int runs, const std::function<void(const Tokenizer&)>& use) {
  const std::string text = good.dump();
  const TemporaryFolder folder;
  const auto path = folder / "tokenizer.json";
  std::mt19937 random(seed);
  int refused = 0;
  for (int run = 0; run < runs; ++run) {
    std::string bytes = text;
    for (int change = 0; change < 3; ++change) bytes[random() % bytes.size()] = static_cast<char>(random());
    write_text(path, run % 5 == 0 ? text.substr(0, random() % text.size()) : bytes);
    try {
      use(Tokenizer::load(path));
    } catch (const FormatError&) {
      ++refused;
    }
  }
  return refused;
}

std::string encoded(const Tokenizer& tokenizer, std::string_view text) {
  std::string result;
  for (const Token& token : tokenizer.encode(text)) {
    if (token.special) continue;
    if (!result.empty()) result += " ";
    result += token.piece + "@" + std::to_string(token.span.begin) + "-" + std::to_string(token.span.end);
  }
  return result;
}

}  // namespace limelight::testing
