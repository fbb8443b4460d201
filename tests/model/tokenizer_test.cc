// The tokenizer against Hugging Face's: the same ids, and the same offsets in code points, text by text.
#include "limelight/tokenizer.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/model/model_folder.h"
#include "tests/model/small_tokenizer.h"

namespace limelight {
namespace {

using testing::Json;

Json golden(const std::string& name) {
  std::ifstream file(std::string(LIMELIGHT_GOLDEN) + "/" + name);
  return Json::parse(file);
}

void expect_peer_values(const Tokenizer& tokenizer, const Json& texts) {
  ASSERT_FALSE(texts.empty());
  for (const Json& expected : texts) {
    const std::string text = expected["text"];
    std::vector<int32_t> ids;
    std::vector<std::vector<int64_t>> offsets;
    for (const Token& token : tokenizer.encode(text)) {
      ids.push_back(token.id);
      offsets.push_back({code_points(text, token.span.begin), code_points(text, token.span.end)});
    }
    EXPECT_EQ(ids, expected["ids"].get<std::vector<int32_t>>()) << text;
    EXPECT_EQ(offsets, expected["offsets"].get<std::vector<std::vector<int64_t>>>()) << text;
  }
}

Tokenizer minilm() {
  return Tokenizer::load(testing::model_folder("minilm") / "tokenizer.json");
}

TEST(Tokenizer, MinilmIdsAndOffsetsEqualThePeer) {
  if (!testing::has_model("minilm")) GTEST_SKIP() << testing::how_to_bring("minilm");
  const Tokenizer tokenizer = minilm();
  EXPECT_EQ(tokenizer.vocabulary_size(), 30522);
  const Json values = golden("minilm.json");
  expect_peer_values(tokenizer, values["sentences"]);
  expect_peer_values(tokenizer, values["texts"]);
}

TEST(Tokenizer, AwkwardTextsEqualThePeer) {
  bool skipped = false;
  for (const Json& entry : golden("wordpiece.json")) {
    const bool real = entry["tokenizer"].is_null();
    if (real && !testing::has_model("minilm")) {
      skipped = true;
      continue;
    }
    expect_peer_values(real ? minilm() : testing::load_config(entry["tokenizer"]), entry["texts"]);
  }
  if (skipped) GTEST_SKIP() << "in part: " << testing::how_to_bring("minilm");
}

TEST(Tokenizer, TemplateTokensAreSpecialAndHaveNoSpan) {
  const auto tokens = testing::load_config(testing::small_config()).encode("hello [SEP]");
  ASSERT_EQ(tokens.size(), 4u);
  EXPECT_EQ(tokens[0].piece, "[CLS]");
  EXPECT_EQ(tokens[3].piece, "[SEP]");
  for (const size_t i : {0u, 3u}) {
    EXPECT_TRUE(tokens[i].special);
    EXPECT_EQ(tokens[i].span, (Span{0, 0}));
  }
  EXPECT_EQ(tokens[2].piece, "[SEP]");
  EXPECT_FALSE(tokens[2].special);
  EXPECT_EQ(tokens[2].span, (Span{6, 11}));
}

TEST(Tokenizer, EmptyTextIsTheTemplateAlone) {
  const auto tokens = testing::load_config(testing::small_config()).encode("");
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0].id, 1);
  EXPECT_EQ(tokens[1].id, 2);
}

TEST(Tokenizer, BertProcessingIsTheTemplateOfClsAndSep) {
  Json config = testing::small_config();
  config["post_processor"] = {{"type", "BertProcessing"}, {"sep", {"[SEP]", 2}}, {"cls", {"[CLS]", 1}}};
  const auto tokens = testing::load_config(config).encode("hello");
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].id, 1);
  EXPECT_EQ(tokens[2].id, 2);
}

TEST(Tokenizer, NoPostProcessorAddsNothing) {
  Json config = testing::small_config();
  config["post_processor"] = nullptr;
  EXPECT_EQ(testing::load_config(config).encode("hello").size(), 1u);
}

TEST(Tokenizer, TruncationAndPaddingOfTheFileAreIgnored) {
  const auto tokenizer = testing::load_config(testing::small_config());
  EXPECT_EQ(testing::encoded(tokenizer, "a a a"), "a@0-1 a@2-3 a@4-5");
}

TEST(Tokenizer, InvalidUtf8IsRefusedAtItsByte) {
  const auto tokenizer = testing::load_config(testing::small_config());
  try {
    tokenizer.encode("hello \xE2\x82");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "[Tokenizer::encode] text: expected UTF-8, found an invalid sequence at byte 6");
  }
}

TEST(Tokenizer, VocabularySizeCountsAddedTokensAndGaps) {
  Json config = testing::small_config();
  config["added_tokens"].push_back(testing::added_token(99, "<new>"));
  EXPECT_EQ(testing::load_config(config).vocabulary_size(), 100);
}

}  // namespace
}  // namespace limelight
