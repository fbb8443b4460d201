// How text is cut into words before byte pair merging: the scanners against the regular expressions they stand for.
#include "model/pretokenizer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "model/tokenizer_json.h"
#include "tests/model/small_bpe.h"
#include "tests/model/temporary_folder.h"

namespace limelight::detail {
namespace {

using limelight::testing::Json;

Pretokenizer read(const Json& steps) {
  Json config = limelight::testing::small_bpe({});
  config["pre_tokenizer"] = steps;
  const limelight::testing::TemporaryFolder folder;
  limelight::testing::write_text(folder / "tokenizer.json", config.dump());
  return read_tokenizer_json(folder / "tokenizer.json").pretokenizer;
}

std::vector<std::string> words(const Pretokenizer& pretokenizer, const std::string& text) {
  const Characters characters = decode_utf8(text, "test");
  std::vector<std::string> result;
  for (const Range word : pretokenizer.split(characters.codes)) {
    const auto [begin, end] = characters.span_of(word);
    result.push_back(text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
  }
  return result;
}

using Words = std::vector<std::string>;

TEST(Pretokenizer, WordsEqualThePeer) {
  std::ifstream file(std::string(LIMELIGHT_GOLDEN) + "/bpe.json");
  const Json cases = Json::parse(file)["pretokenizers"];
  ASSERT_EQ(cases.size(), 10u);
  for (const Json& entry : cases) {
    const Pretokenizer pretokenizer = read(entry["pre_tokenizer"]);
    for (const Json& expected : entry["texts"]) {
      const std::string text = expected["text"];
      std::vector<std::vector<size_t>> offsets;
      for (const Range word : pretokenizer.split(decode_utf8(text, "test").codes)) {
        if (word.begin < word.end) offsets.push_back({word.begin, word.end});
      }
      EXPECT_EQ(Json(offsets), expected["offsets"]) << entry["name"] << ": " << text;
    }
  }
}

TEST(Pretokenizer, WhiteSpaceBeforeAWordLeavesItsLastSpaceToIt) {
  const Pretokenizer gpt2{TextPrefix::kNone, {WordStep::kGpt2}};
  EXPECT_EQ(words(gpt2, "\n ="), (Words{"\n", " ="}));
  EXPECT_EQ(words(gpt2, "a  b"), (Words{"a", " ", " b"}));
  EXPECT_EQ(words(gpt2, "a   "), (Words{"a", "   "}));
  EXPECT_EQ(words(gpt2, "\u00A0a"), (Words{"\u00A0", "a"}));
  EXPECT_EQ(words(gpt2, "\u2029 \uA4E3"), (Words{"\u2029", " \uA4E3"}));
}

TEST(Pretokenizer, ContractionsKnowTheirCase) {
  EXPECT_EQ(words({TextPrefix::kNone, {WordStep::kGpt2}}, "It's IT'S"), (Words{"It", "'s", " IT", "'", "S"}));
  EXPECT_EQ(words({TextPrefix::kNone, {WordStep::kLlama3}}, "It's IT'S"), (Words{"It", "'s", " IT", "'S"}));
}

TEST(Pretokenizer, NumbersAreWhatUnicodeSays) {
  EXPECT_EQ(words({TextPrefix::kNone, {WordStep::kGpt2}}, "x\u00B23"), (Words{"x", "\u00B23"}));
  EXPECT_EQ(words({TextPrefix::kNone, {WordStep::kDigits, WordStep::kGpt2}}, "x\u00B23"), (Words{"x", "\u00B2", "3"}));
  EXPECT_EQ(words({TextPrefix::kNone, {WordStep::kLlama3}}, "12345"), (Words{"123", "45"}));
  EXPECT_EQ(words({TextPrefix::kNone, {WordStep::kQwen2}}, "123"), (Words{"1", "2", "3"}));
}

TEST(Pretokenizer, LineEndsGoWithWhatIsBeforeThem) {
  const Pretokenizer llama3{TextPrefix::kNone, {WordStep::kLlama3}};
  EXPECT_EQ(words(llama3, "a!\n\nb"), (Words{"a", "!\n\n", "b"}));
  EXPECT_EQ(words(llama3, "a \n \n  b"), (Words{"a", " \n \n", " ", " b"}));
}

TEST(Pretokenizer, TheDefaultOfGgufSetsSymbolsAndDigitTriplesApart) {
  const Pretokenizer pretokenizer{
      TextPrefix::kNone, {WordStep::kSymbolRuns, WordStep::kGpt2, WordStep::kDigitRuns, WordStep::kDigitTriples}};
  EXPECT_EQ(words(pretokenizer, "it's 12345, $x"), (Words{"it", "'", "s", " ", "123", "45", ",", " ", "$", "x"}));
}

TEST(Pretokenizer, EveryStepKeepsEveryCharacter) {
  std::mt19937 random(11);
  const std::u32string some = U"ab'sS \t\n\r.!$12\u00B2\u4E2D\u00A0\u2028\u0301\U0001F600";
  for (int run = 0; run < 300; ++run) {
    std::u32string text;
    for (int i = 0; i < 30; ++i) text += some[random() % some.size()];
    for (const WordStep step :
         {WordStep::kDigits, WordStep::kDigitRuns, WordStep::kDigitTriples, WordStep::kPunctuation,
          WordStep::kPunctuationRuns, WordStep::kSymbolRuns, WordStep::kGpt2, WordStep::kLlama3, WordStep::kQwen2}) {
      size_t at = 0;
      for (const auto& [begin, end] : Pretokenizer{TextPrefix::kNone, {step}}.split(text)) {
        EXPECT_EQ(begin, at);
        EXPECT_LT(begin, end);
        at = end;
      }
      EXPECT_EQ(at, text.size());
    }
  }
}

TEST(Pretokenizer, APrefixSpansNothing) {
  const Characters text = decode_utf8("ab", "test").part({1, 2});
  const Characters prefixed = Pretokenizer{TextPrefix::kMissingSpace, {}}.prepared(text);
  EXPECT_EQ(prefixed.codes, U" b");
  EXPECT_EQ(prefixed.spans[0], (Span{1, 1}));
  const Characters spaced = decode_utf8(" b", "test");
  EXPECT_EQ((Pretokenizer{TextPrefix::kMissingSpace, {}}.prepared(spaced).codes), U" b");
  EXPECT_EQ((Pretokenizer{TextPrefix::kMissingSpaceAtStart, {}}.prepared(text).codes), U"b");
  EXPECT_EQ((Pretokenizer{TextPrefix::kMissingSpaceAtStart, {}, true}.prepared(spaced).codes), U"\u2581b");
}

}  // namespace
}  // namespace limelight::detail
