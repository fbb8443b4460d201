// Added tokens: found whole in the text as their flags say.
#include <gtest/gtest.h>

#include "tests/model/small_tokenizer.h"

namespace limelight {
namespace {

using testing::added_token;
using testing::encoded;
using testing::Json;

Tokenizer with(const std::vector<Json>& tokens) {
  Json config = testing::small_config();
  for (const Json& token : tokens) config["added_tokens"].push_back(token);
  return testing::load_config(config);
}

TEST(AddedTokens, SpecialTokensAreFoundInsideWordsBeforeLowercasing) {
  EXPECT_EQ(encoded(with({}), "x[MASK]y"), "x@0-1 [MASK]@1-7 y@7-8");
  EXPECT_EQ(encoded(with({}), "[MASK][MASK]"), "[MASK]@0-6 [MASK]@6-12");
  EXPECT_EQ(encoded(with({}), "[mask]"), "[UNK]@0-1 [UNK]@1-5 [UNK]@5-6");
}

TEST(AddedTokens, SingleWordIsFoundAtTheEndsAndNeverInsideAWord) {
  const Tokenizer tokenizer = with({added_token(27, "<mask>", {"single_word"})});
  EXPECT_EQ(encoded(tokenizer, "Dette er <mask>"), "dette@0-5 er@6-8 <mask>@9-15");
  EXPECT_EQ(encoded(tokenizer, "Dette er <mask> "), "dette@0-5 er@6-8 <mask>@9-15");
  EXPECT_EQ(encoded(tokenizer, "<mask>."), "<mask>@0-6 .@6-7");
  EXPECT_EQ(encoded(tokenizer, "a<mask> <mask>ony").find("<mask>"), std::string::npos);
  EXPECT_EQ(encoded(tokenizer, "<mask>\u0301").find("<mask>"), std::string::npos);
  EXPECT_EQ(encoded(tokenizer, "_<mask>").find("<mask>"), std::string::npos);
}

TEST(AddedTokens, StrippingTakesWhiteSpaceAndNothingElse) {
  const Tokenizer left = with({added_token(27, "<mask>", {"lstrip"})});
  EXPECT_EQ(encoded(left, "is <mask>."), "is@0-2 <mask>@2-9 .@9-10");
  EXPECT_EQ(encoded(left, "is\u00a0<mask>."), "is@0-2 <mask>@2-10 .@10-11");
  EXPECT_EQ(encoded(left, "is\u200b<mask>."), "is@0-2 <mask>@5-11 .@11-12");  // U+200B is no white space
  EXPECT_EQ(encoded(left, " <mask> <mask> "), "<mask>@0-7 <mask>@7-14");
  const Tokenizer both = with({added_token(27, "<mask>", {"lstrip", "rstrip"})});
  EXPECT_EQ(encoded(both, "x \t<mask> \n y"), "x@0-1 <mask>@1-12 y@12-13");
}

TEST(AddedTokens, TheLongestOfThoseThatStartTogetherIsTaken) {
  const Tokenizer tokenizer = with({added_token(27, "<a>"), added_token(28, "<a><b>"), added_token(29, "a><")});
  EXPECT_EQ(encoded(tokenizer, "<a><b>"), "<a><b>@0-6");
  EXPECT_EQ(encoded(tokenizer, "<a><a><b>x"), "<a>@0-3 <a><b>@3-9 x@9-10");
  EXPECT_EQ(encoded(tokenizer, "xa><a>"), "x@0-1 a><@1-4 a@4-5 [UNK]@5-6");
}

TEST(AddedTokens, NormalizedTokensMatchTheNormalizedText) {
  const Tokenizer tokenizer = with({added_token(27, "Hello W\u00f6rld", {"normalized"})});
  EXPECT_EQ(encoded(tokenizer, "x HELLO WO\u0308RLD"), "x@0-1 Hello W\u00f6rld@2-15");
  EXPECT_EQ(encoded(with({added_token(27, "Hello W\u00f6rld")}), "HELLO WORLD"), "hello@0-5 world@6-11");
}

TEST(AddedTokens, ATokenThatNormalizesToNothingIsNeverFound) {
  EXPECT_EQ(encoded(with({added_token(27, "\u0301", {"normalized"})}), "a\u0301 x"), "a@0-1 x@4-5");
}

}  // namespace
}  // namespace limelight
