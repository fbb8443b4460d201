// Decoding: the text again, UTF-8 at every moment, special tokens shown or not.
#include <gtest/gtest.h>

#include <random>

#include "model/utf8.h"
#include "tests/model/small_bpe.h"
#include "tests/model/small_llama.h"
#include "tests/model/thrown.h"

namespace limelight {
namespace {

using testing::added_token;
using testing::ids_of;
using testing::Json;

Tokenizer small() {
  Json config = testing::small_bpe({"h i", "\u00E2 \u0124"});
  config["added_tokens"] = {added_token(300, "<end>", {"special"}), added_token(301, "<\u00E9>")};
  return testing::load_config(config);
}

Tokenizer scored() {
  return Tokenizer(detail::tokenizer_config(testing::SmallLlama().parts()));
}

std::string random_text(std::mt19937& random) {
  const std::u32string some = U"hi '\n\u0000\u00E9\u00ED\u5B63\u2581\uFFFD\U0001F600\U0010FFFF";
  std::string text;
  for (size_t i = random() % 20; i > 0; --i) detail::append_utf8(some[random() % some.size()], text);
  return text;
}

TEST(TokenDecoder, DecodingGivesTheTextAgain) {
  const Tokenizer tokenizer = small();
  std::mt19937 random(3);
  for (int run = 0; run < 300; ++run) {
    const std::string text = random_text(random) + (run % 3 == 0 ? "<end>" : "<\u00E9>") + random_text(random);
    EXPECT_EQ(tokenizer.decode(ids_of(tokenizer.encode(text)), {.special = true}), text);
  }
}

TEST(TokenDecoder, PiecesOneByOneGiveWhatTheWholeGivesAndNeverPartOfACharacter) {
  const Tokenizer tokenizer = small();
  std::mt19937 random(4);
  for (int run = 0; run < 500; ++run) {
    std::vector<int32_t> ids(random() % 12);  // any bytes, so most are no UTF-8
    for (int32_t& id : ids) id = static_cast<int32_t>(random() % 258);
    TokenDecoder decoder(tokenizer);
    std::string text;
    for (const int32_t id : ids) {
      const std::string part = decoder.push(id);
      EXPECT_TRUE(detail::is_utf8(part));
      text += part;
    }
    EXPECT_EQ(text + decoder.finish(), tokenizer.decode(ids));
    EXPECT_TRUE(detail::is_utf8(tokenizer.decode(ids)));
  }
}

TEST(TokenDecoder, BytesWaitForTheRestOfTheirCharacter) {
  const Tokenizer tokenizer = small();
  TokenDecoder decoder(tokenizer);
  EXPECT_EQ(decoder.push(0xF0), "");
  EXPECT_EQ(decoder.push(0x9F), "");
  EXPECT_EQ(decoder.push(0x98), "");
  EXPECT_EQ(decoder.push(0x80), "\U0001F600");
  EXPECT_EQ(decoder.push(0xE2), "");
  EXPECT_EQ(decoder.push('a'), "\uFFFDa");
  EXPECT_EQ(decoder.push(0xE2), "");
  EXPECT_EQ(decoder.finish(), "\uFFFD");
  EXPECT_EQ(decoder.finish(), "");
}

TEST(TokenDecoder, WhatIsNoCharacterIsOneReplacementAPart) {
  const Tokenizer tokenizer = small();
  const auto decoded = [&](std::vector<int32_t> ids) { return tokenizer.decode(ids); };
  EXPECT_EQ(decoded({0xC0, 0x80}), "\uFFFD\uFFFD");                          // overlong
  EXPECT_EQ(decoded({0xED, 0xA0, 0x80}), "\uFFFD\uFFFD\uFFFD");              // a surrogate
  EXPECT_EQ(decoded({0xF4, 0x90, 0x80, 0x80}), "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond U+10FFFF
  EXPECT_EQ(decoded({0xE1, 0x80, 0xE2, 0xF0, 0x91, 0x92, 0xF1, 0xBF, 'A'}), "\uFFFD\uFFFD\uFFFD\uFFFDA");
}

TEST(TokenDecoder, SpecialTokensAreShownOnlyWhenAsked) {
  const Tokenizer tokenizer = small();
  const std::vector<int32_t> ids = ids_of(tokenizer.encode("hi<end> <\u00E9>hi"));
  EXPECT_EQ(tokenizer.decode(ids), "hi <\u00E9>hi");
  EXPECT_EQ(tokenizer.decode(ids, {.special = true}), "hi<end> <\u00E9>hi");
}

TEST(TokenDecoder, AnIdWithoutAPieceIsRefused) {
  const Tokenizer tokenizer = small();
  for (const int32_t id : {-1, 258, 302, INT32_MAX}) {
    EXPECT_EQ(testing::thrown<std::invalid_argument>([&] {
                tokenizer.decode({&id, 1});
              }),
              "[TokenDecoder::push] id: expected one of a piece, 0 to 301, found " + std::to_string(id));
  }
}

TEST(TokenDecoder, TheSpaceThatLlama2AddedGoesAndNoOther) {
  const Tokenizer tokenizer = scored();
  EXPECT_EQ(testing::encoded(tokenizer, "hi"), "\u2581hi@0-2");
  EXPECT_EQ(testing::encoded(tokenizer, "x"), "\u2581@0-0 <0x78>@0-1");
  std::mt19937 random(6);
  for (int run = 0; run < 200; ++run) {
    std::string text = random_text(random) + "</s>" + random_text(random);
    for (size_t at; (at = text.find("\u2581")) != std::string::npos;) text.replace(at, 3, " ");
    const std::vector<int32_t> ids = ids_of(tokenizer.encode(text));
    EXPECT_EQ(ids.front(), 1);  // <s> unless the file says no
    EXPECT_EQ(tokenizer.decode(ids, {.special = true}), "<s>" + text);
  }
  const int32_t piece = *tokenizer.find("\u2581hi");
  EXPECT_EQ(tokenizer.decode({&piece, 1}), "hi");
  EXPECT_EQ(tokenizer.decode({&piece, 1}, {.continued = true}), " hi");
}

TEST(TokenDecoder, WordPiecesAreWordsWithSpacesBetween) {
  const Tokenizer tokenizer = testing::load_config(testing::small_config());
  const std::vector<int32_t> ids = ids_of(tokenizer.encode("hello naive[MASK]aa"));
  EXPECT_EQ(tokenizer.decode(ids), "hello naive aa");
  EXPECT_EQ(tokenizer.decode(ids, {.special = true}), "[CLS] hello naive [MASK] aa [SEP]");
}

}  // namespace
}  // namespace limelight
