// A tokenizer from GGUF metadata: what its values mean, and one clear error for those that mean nothing.
#include "model/tokenizer_parts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "limelight/error.h"
#include "tests/model/small_bpe.h"
#include "tests/model/thrown.h"

namespace limelight {
namespace {

using detail::TokenizerParts;

// Byte-level: the small vocabulary, <s> and </s>.
struct Parts : TokenizerParts {
  testing::SmallBpe small{{"a b", "ab c"}};

  Parts() {
    file = "x.gguf";
    model = "gpt2";
    pre = "gpt-2";
    tokens.assign(small.tokens.begin(), small.tokens.end());
    token_types.assign(tokens.size(), 1);
    add("<s>", 3);
    add("</s>", 3);
    merges.assign(small.merges.begin(), small.merges.end());
    bos = 258;
    eos = 259;
  }
  void add(std::string_view token, int64_t type) {
    tokens.push_back(token);
    token_types.push_back(type);
  }
};

std::string refusal(const TokenizerParts& parts) {
  const std::string message = testing::thrown<FormatError>([&] { detail::tokenizer_config(parts); });
  const std::string start = "x.gguf: metadata 'tokenizer.ggml.";
  EXPECT_EQ(message.rfind(start, 0), 0u) << message;
  return message.substr(std::min(start.size(), message.size()));
}

template <class Change>
std::string refusal_with(const Change& change) {
  Parts parts;
  change(parts);
  return refusal(parts);
}

Tokenizer made(const TokenizerParts& parts) {
  return Tokenizer(detail::tokenizer_config(parts));
}

TEST(TokenizerParts, TheFilesTellsWhatGoesAroundATextAndElseTheKindOfModel) {
  Parts parts;
  EXPECT_EQ(made(parts).encode("abc").size(), 1u);
  parts.add_bos = parts.add_eos = true;
  const auto tokens = made(parts).encode("abc");
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].piece, "<s>");
  EXPECT_TRUE(tokens[0].special && tokens[2].special);
  EXPECT_EQ(tokens[2].piece, "</s>");
  Parts llama3;
  llama3.pre = "llama-bpe";
  EXPECT_EQ(made(llama3).encode("abc").size(), 2u);
  llama3.add_bos = false;
  EXPECT_EQ(made(llama3).encode("abc").size(), 1u);
  EXPECT_EQ(made(parts).first_id(), 258);
  EXPECT_EQ(made(parts).last_id(), 259);
}

TEST(TokenizerParts, TokenTypesTellWhatIsFoundWholeInTheText) {
  Parts parts;
  parts.add("<user>", 4);
  parts.add("<unused>", 5);
  const Tokenizer tokenizer = made(parts);
  EXPECT_EQ(testing::encoded(tokenizer, "ab<user></s>"), "ab@0-2 <user>@2-8 </s>@8-12");
  EXPECT_EQ(tokenizer.encode("<unused>").size(), 8u);
  const std::vector<int32_t> ids = {256, 260, 259, 256};
  EXPECT_EQ(tokenizer.decode(ids), "ab<user>ab");
}

TEST(TokenizerParts, PreTellsHowWordsAreCut) {
  const auto count = [](const char* pre, const char* text) {
    Parts parts;
    parts.pre = pre;
    parts.add_bos = false;
    parts.add("12", 1);
    parts.add("\u00C3\u00A9", 1);
    parts.merges.insert(parts.merges.end(), {"1 2", "\u00C3 \u00A9"});
    return made(parts).encode(text).size();
  };
  EXPECT_EQ(count("gpt-2", "12"), 1u);
  EXPECT_EQ(count("llama-bpe", "12"), 1u);
  EXPECT_EQ(count("default", "12"), 1u);
  EXPECT_EQ(count("smollm", "12"), 2u);
  EXPECT_EQ(count("qwen2", "12"), 2u);
  EXPECT_EQ(count("qwen2", "e\u0301"), 1u);  // composed
  EXPECT_EQ(count("gpt-2", "e\u0301"), 3u);
}

TEST(TokenizerParts, WhatIsNotKnownIsRefusedByName) {
  EXPECT_EQ(refusal_with([](Parts& p) { p.model = "bert"; }), "model': expected gpt2 or llama, found 'bert'");
  const std::string pre = "pre': expected gpt-2, smollm, llama-bpe, qwen2 or default, found ";
  EXPECT_EQ(refusal_with([](Parts& p) { p.pre = "tekken"; }), pre + "'tekken'");
  EXPECT_EQ(refusal_with([](Parts& p) { p.pre = ""; }), pre + "''");
  EXPECT_EQ(refusal_with([](Parts& p) { p.pre = "a\n\"\x7F"; }), pre + "'a?\"?'");
}

TEST(TokenizerParts, TokensAreOnceAndUtf8) {
  EXPECT_EQ(refusal_with([](Parts& p) { p.tokens.clear(); }), "tokens': expected 1 to 2147483647 tokens, found 0");
  EXPECT_EQ(refusal_with([](Parts& p) { p.tokens[7] = p.tokens[3]; }),
            "tokens[7]': expected a token that no other id has, found '\u0103'");
  EXPECT_EQ(refusal_with([](Parts& p) { p.tokens[7] = ""; }),
            "tokens[7]': expected UTF-8 that is not empty, found 0 bytes");
  EXPECT_EQ(refusal_with([](Parts& p) { p.tokens[7] = "\xE2\x82"; }),
            "tokens[7]': expected UTF-8 that is not empty, found 2 bytes");
}

TEST(TokenizerParts, ListsAreAsLongAsTheTokens) {
  EXPECT_EQ(refusal_with([](Parts& p) { p.token_types.pop_back(); }),
            "token_type': expected 260 values, one for each token, found 259");
  EXPECT_EQ(refusal_with([](Parts& p) { p.token_types[4] = 7; }), "token_type[4]': expected 1 to 6, found 7");
  EXPECT_EQ(refusal_with([](Parts& p) { p.token_types[4] = 0; }), "token_type[4]': expected 1 to 6, found 0");
  EXPECT_EQ(refusal_with([](Parts& p) { p.model = "llama"; }),
            "scores': expected 260 values, one for each token, found 0");
  EXPECT_EQ(refusal_with([](Parts& p) {
              p.model = "llama";
              p.scores.assign(260, 0);
              p.scores[5] = std::nan("");
            }),
            "scores[5]': expected a finite number, found nan");
}

TEST(TokenizerParts, MergesAreTwoPiecesThatMakeAThirdOnce) {
  EXPECT_EQ(refusal_with([](Parts& p) { p.merges.push_back("a c"); }),
            "merges[2]': expected two pieces of the vocabulary that together are one of it, found 'a c'");
  EXPECT_EQ(refusal_with([](Parts& p) { p.merges.push_back("a b"); }),
            "merges[2]': expected a pair that is not there before, found 'a b'");
  EXPECT_EQ(refusal_with([](Parts& p) { p.merges.push_back(""); }),
            "merges[2]': expected two pieces with a space between, found ''");
}

TEST(TokenizerParts, IdsAreOfTokens) {
  EXPECT_EQ(refusal_with([](Parts& p) { p.bos = 260; }), "bos_token_id': expected 0 to 259, found 260");
  EXPECT_EQ(refusal_with([](Parts& p) { p.eos = -1; }), "eos_token_id': expected 0 to 259, found -1");
  EXPECT_EQ(refusal_with([](Parts& p) {
              p.eos.reset();
              p.add_eos = true;
            }),
            "eos_token_id': expected the id of a token, found none");
}

TEST(TokenizerParts, ALlama2NeedsAPieceForEachByte) {
  EXPECT_EQ(refusal_with([](Parts& p) {
              p.model = "llama";
              p.scores.assign(260, 0);
            }),
            "tokens': expected a token for each byte, found none for <0x00>");
}

}  // namespace
}  // namespace limelight
