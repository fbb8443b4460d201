// tokenizer.json: what is not known is refused by name, and whatever the bytes are, the answer is one clear
// FormatError.
#include "model/tokenizer_json.h"

#include <gtest/gtest.h>

#include "limelight/error.h"
#include "tests/model/small_bpe.h"
#include "tests/model/small_tokenizer.h"

namespace limelight {
namespace {

using testing::added_token;
using testing::Json;
using testing::refusal;
using testing::small_config;

// With the value at `pointer` replaced.
std::string refusal_with(const std::string& pointer, const Json& value) {
  Json config = small_config();
  config[Json::json_pointer(pointer)] = value;
  return refusal(config.dump());
}

std::string refusal_without(const std::string& parent, const std::string& key) {
  Json config = small_config();
  config[Json::json_pointer(parent)].erase(key);
  return refusal(config.dump());
}

TEST(TokenizerJson, UnknownStepsAreRefusedByName) {
  EXPECT_EQ(refusal_with("/model/type", "Unigram"), "model.type: expected WordPiece or BPE, found \"Unigram\"");
  EXPECT_EQ(refusal_with("/normalizer/type", "NFD"), "normalizer.type: expected BertNormalizer or NFC, found \"NFD\"");
  EXPECT_EQ(refusal_with("/pre_tokenizer/type", "ByteLevel"),
            "pre_tokenizer.type: expected BertPreTokenizer, found \"ByteLevel\"");
  EXPECT_EQ(refusal_with("/post_processor/type", "Metaspace"),
            "post_processor.type: expected TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel or a "
            "Sequence of these, found \"Metaspace\"");
  EXPECT_EQ(refusal_with("/post_processor", {{"type", "ByteLevel"}, {"trim_offsets", true}}),
            "post_processor.type: expected a step that only adds special tokens, found \"ByteLevel\"");
}

TEST(TokenizerJson, AModelWithoutATypeIsToldByWhatOnlyItHas) {
  for (Json config : {small_config(), testing::small_bpe({"a b", "ab c"})}) {
    const Tokenizer named = testing::load_config(config);
    config["model"].erase("type");
    const Tokenizer told = testing::load_config(config);
    EXPECT_EQ(testing::ids_of(told.encode("abc hello")), testing::ids_of(named.encode("abc hello")));
  }
  const Json unigram = {{"unk_id", 0}, {"vocab", Json::parse(R"([["<unk>", 0.0], ["a", -1.5]])")}};
  EXPECT_EQ(refusal_with("/model", unigram),
            "model.vocab: expected that of WordPiece or BPE, not Unigram's, found an array");
  EXPECT_EQ(refusal_with("/model", {{"unk_token", "a"}, {"vocab", {{"a", 0}}}}), "model.type: is missing");
}

TEST(TokenizerJson, MissingFieldsAreNamed) {
  EXPECT_EQ(refusal_without("", "model"), "model: is missing");
  EXPECT_EQ(refusal_without("/model", "vocab"), "model.vocab: is missing");
  EXPECT_EQ(refusal_without("/normalizer", "lowercase"), "normalizer.lowercase: is missing");
  EXPECT_EQ(refusal_without("/added_tokens/1", "rstrip"), "added_tokens[1].rstrip: is missing");
  EXPECT_EQ(refusal_without("/post_processor/special_tokens", "[SEP]"),
            "post_processor.special_tokens[\"[SEP]\"]: is missing");
}

TEST(TokenizerJson, IdsAreWholeNumbersInRangeAndNobodyElses) {
  const std::string range = "expected an integer from 0 to 2147483647, found ";
  EXPECT_EQ(refusal_with("/model/vocab/hello", -1), "model.vocab.hello: " + range + "-1");
  EXPECT_EQ(refusal_with("/model/vocab/hello", 2147483648u), "model.vocab.hello: " + range + "2147483648");
  EXPECT_EQ(refusal_with("/model/vocab/hello", UINT64_MAX), "model.vocab.hello: " + range + "18446744073709551615");
  EXPECT_EQ(refusal_with("/model/vocab/hello", 6.5), "model.vocab.hello: " + range + "6.5");
  EXPECT_EQ(refusal_with("/model/vocab/hello", "6"), "model.vocab.hello: " + range + "\"6\"");
  EXPECT_EQ(refusal_with("/model/vocab/hello", 7),
            "model.vocab.world: expected an id that no other token has, found 7");
  EXPECT_EQ(refusal_with("/added_tokens/4", added_token(6, "<new>")),
            "added_tokens[4].id: expected an id that no other token has, found 6");
  EXPECT_EQ(refusal_with("/added_tokens/4", added_token(40, "hello")),
            "added_tokens[4].id: expected the id 6 the vocabulary gives this token, found 40");
}

TEST(TokenizerJson, NamedTokensMustBeInTheVocabulary) {
  EXPECT_EQ(refusal_with("/model/unk_token", "<unk>"),
            "model.unk_token: expected a token of the vocabulary, found \"<unk>\"");
  EXPECT_EQ(refusal_with("/post_processor/special_tokens/[SEP]/tokens/0", "<s>"),
            "post_processor.special_tokens[\"[SEP]\"].tokens[0]: expected a token of the vocabulary, found \"<s>\"");
  EXPECT_EQ(refusal_with("/post_processor/special_tokens/[SEP]/ids/0", 3),
            "post_processor.special_tokens[\"[SEP]\"].ids[0]: expected the token's id 2, found 3");
  EXPECT_EQ(refusal_with("/post_processor/special_tokens/[SEP]/ids", Json::array()),
            "post_processor.special_tokens[\"[SEP]\"].ids: expected as many as tokens, found an array");
}

TEST(TokenizerJson, ATemplateHoldsTheTextOnce) {
  const Json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  EXPECT_EQ(refusal_with("/post_processor/single", Json::array()),
            "post_processor.single: expected a Sequence, found an array");
  EXPECT_EQ(refusal_with("/post_processor/single", {text, text}),
            "post_processor.single[1].Sequence.id: expected A, once, found \"A\"");
  EXPECT_EQ(refusal_with("/post_processor/single/1/Sequence/id", "B"),
            "post_processor.single[1].Sequence.id: expected A, once, found \"B\"");
}

TEST(TokenizerJson, TheLimitOfAWordIsAtLeastOne) {
  EXPECT_EQ(refusal_with("/model/max_input_chars_per_word", 0),
            "model.max_input_chars_per_word: expected an integer from 1 to 2147483647, found 0");
}

TEST(TokenizerJson, EveryFieldRefusesEveryWrongType) {
  const std::vector<Json> values = {nullptr, true, -7, 1e300, "\n\0wrong", Json::array({1}), {{"a", 1}}};
  const Json config = small_config(), flat = config.flatten();
  for (const auto& [pointer, original] : flat.items()) {
    const bool ignored = pointer.starts_with("/truncation") || pointer.starts_with("/padding") ||
                         pointer.starts_with("/decoder") || pointer == "/version";
    for (const Json& value : values) {
      const bool has_null = value.is_null() && pointer == "/model/type";
      const bool may_be_null =
          has_null || (pointer == "/normalizer/strip_accents" && (value.is_null() || value.is_boolean()));
      if (ignored || may_be_null || value.type() == original.type()) continue;
      EXPECT_NE(refusal_with(pointer, value), "") << pointer;
    }
  }
}

TEST(TokenizerJson, WhatIsNotJsonIsRefused) {
  EXPECT_EQ(refusal(""), "expected JSON, found an empty file");
  EXPECT_EQ(refusal("[]"), "expected an object, found an array");
  EXPECT_EQ(refusal("null"), "expected an object, found null");
  for (const std::string& text :
       {std::string(1, '\0'), std::string("{"), std::string("{} {}"), std::string("{\"a\": \"\xFF\"}"),
        std::string("version https://git-lfs.github.com/spec/v1\n"), std::string(200, '['),
        std::string(1'000'000, '\0'), small_config().dump() + '\0'}) {
    EXPECT_TRUE(refusal(text).starts_with("is not JSON: ")) << refusal(text);
  }
  EXPECT_EQ(refusal("{\n  \"a\": 1,\n}"),
            "is not JSON: line 3, column 1: syntax error while parsing object key - unexpected '}'; expected string "
            "literal");
  EXPECT_EQ(refusal("{\"a\": 1e999}"), "is not JSON: a number is too large");
  EXPECT_EQ(refusal(std::string("{}\0", 3)), "is not JSON: byte 2 is zero");
  const std::string pointer = refusal("version https://git-lfs.github.com/spec/v1\noid sha256:0\n");
  EXPECT_TRUE(pointer.ends_with("; it is a Git LFS pointer: get the file itself (git lfs pull)")) << pointer;
}

TEST(TokenizerJson, DeepNestingIsRefusedBeforeItIsParsed) {
  std::string deep = small_config().dump();
  const std::string depth = std::string(100'000, '[') + std::string(100'000, ']');
  deep.replace(deep.find("\"BertPreTokenizer\""), 18, depth);
  EXPECT_EQ(refusal(deep), "expected at most 256 levels of nesting, found 100002");
}

TEST(TokenizerJson, AMissingFileIsAFileError) {
  EXPECT_THROW(Tokenizer::load("/nowhere/tokenizer.json"), FileError);
  EXPECT_THROW(Tokenizer::load(std::filesystem::path(::testing::TempDir())), FileError);
}

TEST(TokenizerJson, DamagedBytesNeverDoWorseThanAFormatError) {
  const auto use = [](const Tokenizer& tokenizer) { tokenizer.encode("Hello, world! [MASK]"); };
  EXPECT_GT(testing::refused_of_damaged(small_config(), 7, 500, use), 250);
}

}  // namespace
}  // namespace limelight
