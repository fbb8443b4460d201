// BERT's normalisation: what is dropped, what is replaced, and that spans still point at the source.
#include "model/normalizer.h"

#include <gtest/gtest.h>

#include "tests/model/small_tokenizer.h"

namespace limelight {
namespace {

using testing::encoded;
using testing::load_config;
using testing::small_config;

detail::Characters normalize(std::string_view text, const detail::BertNormalizer& normalizer = {}) {
  return normalizer.normalize(detail::decode_utf8(text, "test"));
}

TEST(Normalizer, ComposedAndDecomposedLettersAreTheSamePieces) {
  const Tokenizer tokenizer = load_config(small_config());
  EXPECT_EQ(encoded(tokenizer, "Kant\u014d l\u01dcshi"), "kanto@0-6 lushi@7-13");
  EXPECT_EQ(encoded(tokenizer, "Kanto\u0304 lu\u0308\u0300shi"), "kanto@0-5 lushi@8-17");
}

TEST(Normalizer, NonspacingMarksOfEveryScriptAreStripped) {
  EXPECT_EQ(normalize("\u0915\u094d").codes, U"\u0915");        // Devanagari virama
  EXPECT_EQ(normalize("\u0644\u064e\u0651").codes, U"\u0644");  // Arabic vowel and doubling
  EXPECT_EQ(normalize("\u0915\u0940").codes, U"\u0915\u0940");  // a spacing mark stays
  EXPECT_EQ(normalize("\u0301").codes, U"");
}

TEST(Normalizer, CleaningDropsControlsAndPrivateUseAndMakesWhiteSpaceASpace) {
  using namespace std::string_view_literals;
  EXPECT_EQ(normalize("a\0b\ufffdc\uf059d\u200de\u0085f\u000bg"sv).codes, U"abcdefg");
  EXPECT_EQ(normalize("a\tb\nc\rd\u00a0e\u2029f").codes, U"a b c d e f");
  EXPECT_EQ(normalize("a\u0378").codes, U"a\u0378");  // not assigned: may be a newer emoji
  EXPECT_EQ(normalize("a\tb\0\uf059"sv, {.clean_text = false}).codes, U"a\tb\0\uf059"sv);
}

TEST(Normalizer, SpansPointAtTheSourceCharacter) {
  const detail::Characters text = normalize("\uf059\u01dcx\u0130y");  // 3 2 1 2 1 bytes
  EXPECT_EQ(text.codes, U"uxiy");
  EXPECT_EQ(text.spans, (std::vector<Span>{{3, 5}, {5, 6}, {6, 8}, {8, 9}}));
}

TEST(Normalizer, LowercaseMayGrow) {
  const detail::Characters text = normalize("\u0130", {.strip_accents = false});
  EXPECT_EQ(text.codes, U"i\u0307");
  EXPECT_EQ(text.spans, (std::vector<Span>{{0, 2}, {0, 2}}));
}

TEST(Normalizer, ChineseCharactersStandApart) {
  const detail::Characters text = normalize("a\u4e2db");
  EXPECT_EQ(text.codes, U"a \u4e2d b");
  EXPECT_EQ(text.spans, (std::vector<Span>{{0, 1}, {1, 4}, {1, 4}, {1, 4}, {4, 5}}));
  EXPECT_EQ(normalize("a\u4e2db", {.handle_chinese_chars = false}).codes, U"a\u4e2db");
}

TEST(Normalizer, HangulComesApartIntoJamo) {
  const detail::Characters text = normalize("\ud55c");
  EXPECT_EQ(text.codes, U"\u1112\u1161\u11ab");
  EXPECT_EQ(text.spans, (std::vector<Span>{{0, 3}, {0, 3}, {0, 3}}));
}

TEST(Normalizer, MarksComeInCanonicalOrderAndSpansNeverRunBackwards) {
  const detail::Characters text = normalize("\u04dd\U0001d165\U0001d16e\U0001d165");
  EXPECT_EQ(text.codes, U"\u0436\U0001d165\U0001d16e\U0001d165");
  const detail::Characters swapped = normalize("a\U0001d16d\U0001d165");  // classes 226, 216
  EXPECT_EQ(swapped.codes, U"a\U0001d165\U0001d16d");
  EXPECT_EQ(swapped.spans, (std::vector<Span>{{0, 1}, {1, 5}, {5, 9}}));
}

TEST(Normalizer, StripAccentsNullMeansIffLowercase) {
  auto config = small_config();
  EXPECT_EQ(encoded(load_config(config), "na\u00efve"), "naive@0-6");
  config["normalizer"]["lowercase"] = false;
  EXPECT_EQ(encoded(load_config(config), "na\u00efve"), "[UNK]@0-6");
  config["normalizer"]["strip_accents"] = true;
  EXPECT_EQ(encoded(load_config(config), "na\u00efve"), "naive@0-6");
  config["normalizer"]["lowercase"] = true;
  config["normalizer"]["strip_accents"] = false;
  EXPECT_EQ(encoded(load_config(config), "\u00c9"), "\u00e9@0-2");
}

TEST(Normalizer, DroppedCharactersDoNotEndAWord) {
  EXPECT_EQ(encoded(load_config(small_config()), "hel\u00adlo\u200b world\ufeff"), "hello@0-7 world@11-16");
}

TEST(Words, PunctuationSplitsPerCharacter) {
  EXPECT_EQ(encoded(load_config(small_config()), "Hello,World!!"), "hello@0-5 ,@5-6 world@6-11 !@11-12 !@12-13");
  EXPECT_EQ(detail::split_words(U"a$b\u00bf\u3000c^").size(), 6u);
}

}  // namespace
}  // namespace limelight
