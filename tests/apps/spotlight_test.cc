// A spotlight of a model made for the test: its shares are known before.
#include "studio/spotlight.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "studio/spotlight_csv.h"
#include "studio/spotlight_json.h"

namespace limelight::studio {
namespace {

// Single letters, but for the space that begins a word with c; "<x>" is a special token.
constexpr std::string_view kTokenizer = R"({
  "version": "1.0", "normalizer": null, "post_processor": null, "decoder": {"type": "ByteLevel"},
  "added_tokens": [{"id": 9, "content": "<x>", "single_word": false, "lstrip": false, "rstrip": false,
                    "normalized": false, "special": true}],
  "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
  "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
            "vocab": {"a": 0, "b": 1, "c": 2, "d": 3, "Ġ": 4, "Ġc": 5, "Ċ": 6, "<x>": 9}, "merges": ["Ġ c"]}})";

Tokenizer letters() {
  const auto path = std::filesystem::path(::testing::TempDir()) / ("letters-" + std::to_string(getpid()) + ".json");
  std::ofstream(path) << kTokenizer;
  Tokenizer tokenizer = Tokenizer::load(path);
  std::filesystem::remove(path);
  return tokenizer;
}

// One head; every token that sees token j gives it light in proportion to light[j].
class KnownLight : public Reader {
 public:
  explicit KnownLight(std::vector<float> light, int64_t window = -1)
      : Reader({.name = "known",
                .layers = 1,
                .heads = 1,
                .vocabulary = 10,
                .positions = 4000,
                .output = "hidden",
                .output_width = 1}),
        tokenizer_(letters()),
        light_(std::move(light)),
        window_(window) {}

  const Tokenizer& tokenizer() const override { return tokenizer_; }

  Tensor<float, 2> read(std::span<const int32_t> ids, const ReadOptions& options) const override {
    const auto count = static_cast<int64_t>(ids.size());
    Tensor<float, 4> q({1, 1, count, 1}), k({1, 1, count, 1}), out({1, 1, count, 1});
    Tensor<float, 3> lse({1, 1, count});
    for (int64_t t = 0; t < count; ++t) {
      q(0, 0, t, 0) = 1;
      k(0, 0, t, 0) = std::log(light_[static_cast<size_t>(t) % light_.size()]);
    }
    const AttentionOptions attended{
        .causal = options.causal.value_or(Causal::kBottomRight), .window = {.left = window_}, .scale = 1.0f};
    attention(q, k, k, attended, out, lse);
    options.observer({0, q, k, lse, attended});
    return {};
  }

 private:
  Tokenizer tokenizer_;
  std::vector<float> light_;
  int64_t window_;
};

std::vector<int64_t> permilles(const SpotlightRow& row) {
  std::vector<int64_t> permilles;
  for (const Share& share : row.shares) permilles.push_back(share.lit() ? share.permille : -1);
  return permilles;
}

Spotlight shine(const Reader& reader, std::string_view text, SpotlightOptions options) {
  options.layer = options.head = 0;
  return spotlight(reader, text, options);
}

TEST(Spotlight, PiecesAddUpToWordsAndLaterOnesAreBlocked) {
  const KnownLight reader({4, 1, 3, 8, 5, 5});
  const Spotlight light = shine(reader, "ab cd a", {.word = "cd"});  // a b Ġc d Ġ a
  EXPECT_EQ(light.units, (std::vector<std::string>{"ab", "cd", "a"}));
  EXPECT_EQ(light.gaps, (std::vector<int64_t>{0, 1, 1}));
  // Rows of "Ġc" (of 8) and "d" (of 16): their mean.
  EXPECT_EQ(permilles(light.rows[0]), (std::vector<int64_t>{469, 531, -1}));
  EXPECT_EQ(blocked_reason(light.rows[0], 2), "it comes later");
  EXPECT_EQ(light.mask, Causal::kBottomRight);
}

TEST(Spotlight, BlankTokensAreToldApartByName) {
  const Spotlight light = shine(KnownLight({1}), "ab a\na", {.word = "a:2"});  // a b Ġ a Ċ a
  EXPECT_EQ(light.special, "(space)");
  EXPECT_EQ(light.rows[0].special.permille, 333);
  EXPECT_EQ(weighted_sum(light, light.rows[0]), "a = 0.33 ab + 0.17 a + 0.17 a + 0.33 special tokens");
}

TEST(Spotlight, SpecialTokensOfTheTextAreNoWords) {
  const Spotlight light = shine(KnownLight({1}), "<x>ab<x>a", {.word = "a"});
  EXPECT_EQ(light.units, (std::vector<std::string>{"ab", "a"}));
  EXPECT_EQ(light.special, "<x>");
  EXPECT_EQ(light.rows[0].special.permille, 400);
  EXPECT_EQ(light.first_word, "");
  EXPECT_EQ(first_token_line(light, light.rows[0]), "");
}

TEST(Spotlight, WithoutSpecialTokensNoneAreNamed) {
  const Spotlight light = shine(KnownLight({1}), "ab", {.word = "ab"});
  EXPECT_EQ(light.special, "");
  EXPECT_EQ(weighted_sum(light, light.rows[0]).find("special"), std::string::npos);
  EXPECT_EQ(spotlight_csv(light), "query,query_index,word,index,weight,percent,blocked\nab,0,ab,0,1,100.0,false\n");
}

TEST(Spotlight, TheFirstTokenIsToldApart) {
  const Spotlight light = shine(KnownLight({6, 1, 1, 2}), "a b a", {.word = "a:2"});  // a Ġ b Ġ a
  EXPECT_EQ(light.first_word, "a");
  EXPECT_EQ(light.rows[0].first.permille, 375);
  EXPECT_EQ(first_token_line(light, light.rows[0]), "first token (\"a\"): 37.5 % of the light");
}

TEST(Spotlight, WithoutTheFirstTokenTheOthersAddToAll) {
  const KnownLight reader({6, 1, 1, 2});
  const Spotlight light = shine(reader, "a cd", {.word = "cd", .without_first = true});  // a Ġc d
  EXPECT_EQ(permilles(light.rows[0]), (std::vector<int64_t>{-1, 1000}));
  EXPECT_EQ(share_text(light.rows[0].shares[0]), "left out");
  EXPECT_NEAR(light.rows[0].first.weight, (6.0 / 7 + 6.0 / 8) / 2, 1e-6);
  EXPECT_NE(heading(light).find("without the first token"), std::string::npos);
  EXPECT_NE(spotlight_json(light).find("\"left_out\": true"), std::string::npos);

  const Spotlight part = shine(reader, "ab", {.word = "ab", .without_first = true});
  EXPECT_EQ(permilles(part.rows[0]), std::vector<int64_t>{1000}) << "the word's other piece stays";
  const Spotlight none = shine(reader, "a c", {.word = "a", .without_first = true});
  EXPECT_EQ(permilles(none.rows[0])[0], -1) << "a row without any other light";
}

TEST(Spotlight, WhatAWindowHidesDoesNotComeLater) {
  const Spotlight light = shine(KnownLight({1}, 2), "a b c d", {.word = "d"});
  EXPECT_FALSE(light.rows[0].shares[0].lit());
  EXPECT_EQ(blocked_reason(light.rows[0], 0), "it is beyond the window");
}

TEST(Spotlight, AGridOfAWholeChapterIsRefused) {
  std::string chapter;
  for (int i = 0; i < 1025; ++i) chapter += "a ";
  EXPECT_THROW(shine(KnownLight({1}), chapter, {}), std::invalid_argument);
  EXPECT_EQ(shine(KnownLight({1}), chapter, {.word = "a:1025"}).units.size(), 1025u);
}

TEST(Spotlight, WeightsThatAreNoNumbersAreRefused) {
  const KnownLight reader({1, std::numeric_limits<float>::quiet_NaN()});
  EXPECT_THROW(shine(reader, "ab", {.word = "ab"}), std::runtime_error);
}

}  // namespace
}  // namespace limelight::studio
