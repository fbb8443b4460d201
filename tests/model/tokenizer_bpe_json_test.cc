// tokenizer.json of byte-level BPE: obeyed, or refused by name.
#include <gtest/gtest.h>

#include "limelight/error.h"
#include "tests/model/small_bpe.h"

namespace limelight {
namespace {

using testing::Json;
using testing::refusal;

Json config() {
  return testing::small_bpe({"a b", "ab c"});
}

std::string refusal_with(const std::string& pointer, const Json& value) {
  Json changed = config();
  changed[Json::json_pointer(pointer)] = value;
  return refusal(changed.dump());
}

TEST(BpeJson, StepsThatAreNotKnownAreRefusedByName) {
  EXPECT_EQ(refusal_with("/pre_tokenizer", {{"type", "Metaspace"}}),
            "pre_tokenizer.type: expected ByteLevel, Digits, Split, Punctuation or a Sequence of these, found "
            "\"Metaspace\"");
  EXPECT_EQ(refusal_with("/pre_tokenizer", {{"type", "Digits"}, {"individual_digits", true}}),
            "pre_tokenizer: expected ByteLevel as the last step of BPE, found an object");
  EXPECT_EQ(refusal_with("/pre_tokenizer", {{"type", "Punctuation"}, {"behavior", "Removed"}}),
            "pre_tokenizer.behavior: expected Isolated or Contiguous, found \"Removed\"");
  EXPECT_EQ(refusal_with("/decoder/type", "Metaspace"), "decoder.type: expected ByteLevel, found \"Metaspace\"");
  EXPECT_EQ(refusal_with("/model/dropout", 0.1), "model.dropout: expected null, found 0.1");
  EXPECT_EQ(refusal_with("/model/byte_fallback", true),
            "model.vocab: expected a piece for each byte, also <0x00>, found an object");
  EXPECT_EQ(refusal_with("/model/end_of_word_suffix", "</w>"),
            "model.end_of_word_suffix: expected null or nothing, found \"</w>\"");
  EXPECT_EQ(refusal_with("/normalizer", {{"type", "Lowercase"}}),
            "normalizer.type: expected BertNormalizer or NFC, found \"Lowercase\"");
}

TEST(BpeJson, APatternIsKnownByItsText) {
  Json split = {{"type", "Split"}, {"pattern", {{"Regex", "\\s+"}}}, {"behavior", "Isolated"}, {"invert", false}};
  EXPECT_EQ(refusal_with("/pre_tokenizer", split),
            "pre_tokenizer.pattern.Regex: expected the pattern of GPT-2, Llama 3 or Qwen2, found \"\\\\s+\"");
  split["behavior"] = "MergedWithNext";
  EXPECT_EQ(refusal_with("/pre_tokenizer", split),
            "pre_tokenizer.behavior: expected Isolated, found \"MergedWithNext\"");
  split["pattern"] = {{"String", " "}};
  EXPECT_EQ(refusal_with("/pre_tokenizer", split), "pre_tokenizer.pattern.Regex: is missing");
}

TEST(BpeJson, ByteLevelIsTheLastStepAndItsPrefixTheFirst) {
  Json changed = config();
  const Json byte_level = changed["pre_tokenizer"], digits = {{"type", "Digits"}, {"individual_digits", true}};
  changed["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {byte_level, digits}}};
  EXPECT_EQ(refusal(changed.dump()),
            "pre_tokenizer.pretokenizers[1]: expected nothing after ByteLevel, found an object");
  changed["pre_tokenizer"]["pretokenizers"] = {digits, byte_level};
  changed["pre_tokenizer"]["pretokenizers"][1]["add_prefix_space"] = true;
  EXPECT_EQ(refusal(changed.dump()),
            "pre_tokenizer.pretokenizers[1].add_prefix_space: expected false after another step, found true");
  changed["pre_tokenizer"]["pretokenizers"] = Json::array();
  EXPECT_EQ(refusal(changed.dump()), "pre_tokenizer: expected ByteLevel as the last step of BPE, found an object");
}

TEST(BpeJson, MergesAreTwoPiecesThatMakeAThirdOnce) {
  const std::string known = "expected two pieces of the vocabulary that together are one of it, found ";
  EXPECT_EQ(refusal_with("/model/merges/2", "a z"), "model.merges[2]: " + known + "\"a z\"");
  EXPECT_EQ(refusal_with("/model/merges/2", "abcd e"), "model.merges[2]: " + known + "\"abcd e\"");
  EXPECT_EQ(refusal_with("/model/merges/2", "a b"),
            "model.merges[2]: expected a pair that is not there before, found \"a b\"");
  for (const char* merge : {"", " ", "a", " a", "a ", "a  b", "a b c"}) {
    EXPECT_EQ(refusal_with("/model/merges/2", merge),
              "model.merges[2]: expected two pieces with a space between, found \"" + std::string(merge) + "\"");
  }
  EXPECT_EQ(refusal_with("/model/merges/2", {"a"}), "model.merges[2]: expected two pieces, found an array");
  EXPECT_EQ(refusal_with("/model/merges/2", {"a", "", "b"}), "model.merges[2]: expected two pieces, found an array");
  EXPECT_EQ(refusal_with("/model/merges/2", {"", "a"}), "model.merges[2]: " + known + "an array");
  EXPECT_EQ(refusal_with("/model/merges/2", 7), "model.merges[2]: expected a string, found 7");
}

TEST(BpeJson, MergesMayBePairs) {
  Json changed = config();
  changed["model"]["merges"] = Json::parse(R"([["a", "b"], ["ab", "c"]])");
  EXPECT_EQ(testing::encoded(testing::load_config(changed), "abcab"), "abc@0-3 ab@3-5");
}

TEST(BpeJson, MergesOfAnAddedTokenAreRefused) {
  Json changed = config();
  changed["added_tokens"] = {testing::added_token(300, "zz")};
  changed["model"]["merges"].push_back("z z");
  EXPECT_EQ(refusal(changed.dump()),
            "model.merges[2]: expected two pieces of the vocabulary that together are one of it, found \"z z\"");
}

TEST(BpeJson, UnknownTokensAreNotFused) {
  Json changed = config();
  changed["model"]["fuse_unk"] = true;
  EXPECT_EQ(testing::encoded(testing::load_config(changed), "a"), "a@0-1");  // nothing is unknown
  changed["model"]["unk_token"] = "?";
  EXPECT_EQ(refusal(changed.dump()), "model.fuse_unk: expected false, found true");
  EXPECT_EQ(refusal_with("/model/unk_token", "<unk>"),
            "model.unk_token: expected a token of the vocabulary, found \"<unk>\"");
}

TEST(BpeJson, OneStepAddsSpecialTokens) {
  Json changed = config();
  const Json roberta = {{"type", "RobertaProcessing"}, {"cls", {"<", 60}}, {"sep", {">", 62}}, {"trim_offsets", true}};
  changed["post_processor"] = roberta;
  EXPECT_EQ(testing::load_config(changed).encode("a").size(), 3u);
  changed["post_processor"] = {{"type", "Sequence"}, {"processors", {roberta, roberta}}};
  EXPECT_EQ(refusal(changed.dump()),
            "post_processor.processors[1].type: expected one step that adds special tokens, found "
            "\"RobertaProcessing\"");
}

TEST(BpeJson, ComposedTextKeepsTheSpanOfAllItCameFrom) {
  Json changed = config();
  changed["normalizer"] = {{"type", "NFC"}};
  const Tokenizer tokenizer = testing::load_config(changed);
  EXPECT_EQ(testing::encoded(tokenizer, "ae\u0301b"), "a@0-1 \u00C3@1-4 \u00A9@1-4 b@4-5");
  EXPECT_EQ(tokenizer.encode("e\u0301\u0327").size(), 4u);  // U+0229 U+0301: the mark below joins first
  EXPECT_EQ(tokenizer.encode("\u1112\u1161\u11AB").size(), 3u);
  EXPECT_EQ(tokenizer.encode("\u0344").size(), 4u);  // never composed again
}

TEST(BpeJson, DamagedBytesNeverDoWorseThanAFormatError) {
  const auto use = [](const Tokenizer& tokenizer) { tokenizer.encode("abcab <end> 12 \u00E9"); };
  EXPECT_GT(testing::refused_of_damaged(config(), 8, 500, use), 250);
}

}  // namespace
}  // namespace limelight
