// tokenizer.json of Llama 2 and Mistral: a BPE of characters with byte_fallback, in each form that folders have;
// obeyed, or refused by name.
#include <gtest/gtest.h>

#include <random>

#include "limelight/error.h"
#include "model/utf8.h"
#include "tests/model/small_llama.h"

namespace limelight {
namespace {

using testing::encoded;
using testing::ids_of;
using testing::Json;
using testing::load_config;
using testing::refusal;
using testing::SmallLlama;

std::string decoded(const Tokenizer& tokenizer, const std::string& text) {
  return tokenizer.decode(ids_of(tokenizer.encode(text)));
}

std::string refusal_with(Json config, const std::string& pointer, const Json& value) {
  config[Json::json_pointer(pointer)] = value;
  return refusal(config.dump());
}

TEST(ByteFallback, PiecesOfAFolderEqualThoseOfTheGgufFileWithTheSameScores) {
  const SmallLlama llama({"\u2581", "a", "b", "c", "\u00E9", "aa", "ab", "\u2581a", "abc", "bc", "\u2581\u2581", "ca",
                          "\u00E9a", "\u2581ab", "aab"});
  const Tokenizer folder = load_config(llama.json());
  const Tokenizer gguf(detail::tokenizer_config(llama.parts()));
  const std::u32string some = U"aaabbc  \u00E9\u2581\n\u65E5\U0001F600";
  std::mt19937 random(6);
  for (int run = 0; run < 500; ++run) {
    std::string text;
    for (size_t i = 0; i < 1 + random() % 25; ++i) detail::append_utf8(some[random() % some.size()], text);
    EXPECT_EQ(encoded(folder, text), encoded(gguf, text));
    EXPECT_EQ(ids_of(folder.encode(text)), ids_of(gguf.encode(text)));
    EXPECT_EQ(decoded(folder, text), decoded(gguf, text));
  }
}

TEST(ByteFallback, ACharacterWithoutAPieceIsItsBytes) {
  const Tokenizer tokenizer = load_config(SmallLlama().json());
  EXPECT_EQ(encoded(tokenizer, "hi\u65E5"), "\u2581hi@0-2 <0xE6>@2-5 <0x97>@2-5 <0xA5>@2-5");
  EXPECT_EQ(encoded(tokenizer, "\n"), "\u2581@0-0 <0x0A>@0-1");
  EXPECT_EQ(decoded(tokenizer, "hi\u65E5\n hi"), "hi\u65E5\n hi");
}

TEST(ByteFallback, MergesMayJoinBytes) {
  SmallLlama llama;
  Json config = llama.json();
  config["model"]["vocab"]["<0xC3><0xA9>"] = 300;
  config["model"]["merges"].push_back({"<0xC3>", "<0xA9>"});
  EXPECT_EQ(encoded(load_config(config), "\u00E9h"), "\u2581@0-0 <0xC3><0xA9>@0-2 h@2-3");
}

TEST(ByteFallback, TheNormaliserGivesEachStretchASpace) {
  const Tokenizer tokenizer = load_config(SmallLlama().json());
  EXPECT_EQ(encoded(tokenizer, "hi hi"), "\u2581hi@0-2 \u2581hi@2-5");
  EXPECT_EQ(encoded(tokenizer, " hi"), "\u2581@0-0 \u2581hi@0-3");
  EXPECT_EQ(encoded(tokenizer, "hi</s>hi"), "\u2581hi@0-2 </s>@2-6 \u2581hi@6-8");
  EXPECT_EQ(decoded(tokenizer, "hi</s>hi"), "hi hi");
  EXPECT_EQ(encoded(tokenizer, ""), "");
}

// What such a token looks for is normalised too, so it begins with a space: published folders had that.
TEST(ByteFallback, AnAddedTokenThatIsNormalisedIsFoundBehindASpace) {
  Json config = SmallLlama().json();
  config["added_tokens"][2]["normalized"] = true;
  const Tokenizer tokenizer = load_config(config);
  EXPECT_EQ(encoded(tokenizer, "hi </s>"), "\u2581hi@0-2 </s>@2-7");
  EXPECT_EQ(ids_of(tokenizer.encode("hi</s>")).size(), 6u);  // <s>, then hi and four bytes
}

TEST(ByteFallback, MetaspaceGivesASpaceWhereItsSchemeSays) {
  const auto with = [](const char* scheme, const char* text) {
    Json config = SmallLlama().metaspace();
    config["pre_tokenizer"]["prepend_scheme"] = scheme;
    return encoded(load_config(config), text);
  };
  EXPECT_EQ(with("first", "hi</s>hi"), "\u2581hi@0-2 </s>@2-6 hi@6-8");
  EXPECT_EQ(with("first", "</s>hi"), "</s>@0-4 hi@4-6");
  EXPECT_EQ(with("always", "hi</s>hi"), "\u2581hi@0-2 </s>@2-6 \u2581hi@6-8");
  EXPECT_EQ(with("never", "hi</s> hi"), "hi@0-2 </s>@2-6 \u2581hi@6-9");
  EXPECT_EQ(with("first", " hi"), "\u2581hi@0-3");        // it is there
  EXPECT_EQ(with("always", "\u2581hi"), "\u2581hi@0-5");  // so is this
}

TEST(ByteFallback, MetaspaceAsItWasWritten) {
  const auto with = [](const Json& fields) {
    Json config = SmallLlama().metaspace();
    config["pre_tokenizer"] = {{"type", "Metaspace"}, {"replacement", "\u2581"}};
    config["pre_tokenizer"].update(fields);
    return encoded(load_config(config), "hi");
  };
  EXPECT_EQ(with({{"add_prefix_space", true}}), "\u2581hi@0-2");
  EXPECT_EQ(with({{"add_prefix_space", false}}), "hi@0-2");
  EXPECT_EQ(with({{"add_prefix_space", true}, {"prepend_scheme", "first"}}), "\u2581hi@0-2");
  EXPECT_EQ(with({{"str_rep", "\u2581"}}), "\u2581hi@0-2");
}

TEST(ByteFallback, MetaspaceCutsWordsUnlessItIsToldNotTo) {
  const SmallLlama llama({"\u2581", "h", "\u2581\u2581", "\u2581h", "h\u2581"});
  Json config = llama.metaspace();
  EXPECT_EQ(encoded(load_config(config), "h  h"), "\u2581h@0-1 \u2581\u2581@1-3 h@3-4");
  for (const Json& split : {Json(true), Json()}) {
    config["pre_tokenizer"]["split"] = split;
    EXPECT_EQ(encoded(load_config(config), "h  h"), "\u2581h@0-1 \u2581@1-2 \u2581h@2-4");
  }
}

TEST(ByteFallback, OnlyTheFirstSpaceOfAllGoesWhereTheDecoderStrips) {
  Json config = SmallLlama().json();
  const Tokenizer strips = load_config(config);
  EXPECT_EQ(decoded(strips, "hi </s> hi"), "hi   hi");
  EXPECT_EQ(strips.decode(ids_of(strips.encode("hi")), {.special = true}), "<s> hi");
  EXPECT_EQ(strips.decode(ids_of(strips.encode("hi")), {.continued = true}), " hi");
  config["decoder"]["decoders"].erase(3);
  EXPECT_EQ(decoded(load_config(config), "hi"), " hi");
}

TEST(ByteFallback, OtherStepsAreRefusedByName) {
  const Json config = SmallLlama().json(), metaspace = SmallLlama().metaspace();
  EXPECT_EQ(refusal_with(config, "/normalizer", {{"type", "NFKC"}}),
            "normalizer.type: expected Prepend, Replace or a Sequence of these, as byte_fallback is true, found "
            "\"NFKC\"");
  EXPECT_EQ(refusal_with(config, "/normalizer/normalizers/0/prepend", "_"),
            "normalizer.normalizers[0].prepend: expected \"\u2581\", found \"_\"");
  EXPECT_EQ(refusal_with(config, "/normalizer/normalizers/1", config["normalizer"]["normalizers"][0]),
            "normalizer.normalizers[1].type: expected one Prepend, found \"Prepend\"");
  EXPECT_EQ(refusal_with(config, "/normalizer/normalizers/1/pattern", {{"Regex", " "}}),
            "normalizer.normalizers[1].pattern.String: is missing");
  EXPECT_EQ(refusal_with(config, "/normalizer/normalizers/1/content", "_"),
            "normalizer.normalizers[1].content: expected \"\u2581\", found \"_\"");
  EXPECT_EQ(refusal_with(config, "/pre_tokenizer", {{"type", "ByteLevel"}}),
            "pre_tokenizer.type: expected Metaspace or none, as byte_fallback is true, found \"ByteLevel\"");
  EXPECT_EQ(refusal_with(metaspace, "/pre_tokenizer/replacement", "_"),
            "pre_tokenizer.replacement: expected \"\u2581\", found \"_\"");
  EXPECT_EQ(refusal_with(metaspace, "/pre_tokenizer/prepend_scheme", "last"),
            "pre_tokenizer.prepend_scheme: expected \"always\", \"first\" or \"never\", found \"last\"");
  EXPECT_EQ(refusal_with(metaspace, "/pre_tokenizer/add_prefix_space", false),
            "pre_tokenizer.add_prefix_space: expected true, by prepend_scheme, found false");
  EXPECT_EQ(refusal_with(config, "/post_processor", {{"type", "ByteLevel"}}),
            "post_processor.type: expected a step that only adds special tokens, found \"ByteLevel\"");
}

TEST(ByteFallback, OtherModelsAreRefusedByName) {
  const Json config = SmallLlama().json();
  EXPECT_EQ(refusal_with(config, "/model/type", "Unigram"), "model.type: expected WordPiece or BPE, found \"Unigram\"");
  EXPECT_EQ(refusal_with(config, "/model/ignore_merges", true),
            "model.ignore_merges: expected false, as byte_fallback is true, found true");
  EXPECT_EQ(refusal_with(config, "/model/dropout", 0.1), "model.dropout: expected null, found 0.1");
  Json changed = config;
  changed["model"]["vocab"].erase("<0x0A>");
  EXPECT_EQ(refusal(changed.dump()), "model.vocab: expected a piece for each byte, also <0x0A>, found an object");
}

TEST(ByteFallback, OtherDecodersAreRefusedByName) {
  const Json config = SmallLlama().json();
  EXPECT_EQ(refusal_with(config, "/decoder", nullptr), "decoder: expected an object, found null");
  EXPECT_EQ(refusal_with(config, "/decoder", {{"type", "Metaspace"}}),
            "decoder.type: expected Sequence, as byte_fallback is true, found \"Metaspace\"");
  EXPECT_EQ(refusal_with(config, "/decoder/decoders/1", {{"type", "Fuse"}}),
            "decoder.decoders[1].type: expected \"ByteFallback\", found \"Fuse\"");
  EXPECT_EQ(refusal_with(config, "/decoder/decoders/0/content", ""),
            "decoder.decoders[0].content: expected \" \", found \"\"");
  EXPECT_EQ(refusal_with(config, "/decoder/decoders/3/start", 2),
            "decoder.decoders[3].start: expected an integer from 1 to 1, found 2");
  EXPECT_EQ(refusal_with(config, "/decoder/decoders/4", {{"type", "Fuse"}}),
            "decoder.decoders[4]: expected no step after Strip, found an object");
  Json changed = config;
  changed["decoder"]["decoders"] = Json::array({config["decoder"]["decoders"][0]});
  EXPECT_EQ(refusal(changed.dump()),
            "decoder.decoders: expected Replace, ByteFallback, Fuse and, if need be, Strip, found an array");
}

TEST(ByteFallback, DamagedBytesNeverDoWorseThanAFormatError) {
  const auto use = [](const Tokenizer& tokenizer) { decoded(tokenizer, "hi </s> \u00E9\n"); };
  EXPECT_GT(testing::refused_of_damaged(SmallLlama().metaspace(), 9, 300, use), 150);
}

}  // namespace
}  // namespace limelight
