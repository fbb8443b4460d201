// A spotlight of a model made for the test: its shares are known before.
#include "studio/spotlight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "studio/spotlight_csv.h"
#include "studio/spotlight_json.h"
#include "studio/spotlight_svg.h"
#include "tests/apps/letters.h"

namespace limelight::studio {
namespace {

// One head a layer; every token that sees token j gives it light in proportion to light[j].
class KnownLight : public Reader {
 public:
  explicit KnownLight(std::vector<float> light, int64_t window = -1, int64_t layers = 1)
      : Reader({.name = "known",
                .layers = layers,
                .heads = 1,
                .vocabulary = 10,
                .positions = 6000,
                .output = "hidden",
                .output_width = 1}),
        tokenizer_(letter_tokenizer()),
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
    for (int64_t layer = 0; layer < facts().layers; ++layer) options.observer({layer, q, k, k, lse, attended});
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
  const Spotlight light = shine(reader, "ab cd a", {.words = {"cd"}});  // a b Ġc d Ġ a
  EXPECT_EQ(light.units, (std::vector<std::string>{"ab", "cd", "a"}));
  EXPECT_EQ(light.gaps, (std::vector<int64_t>{0, 1, 1}));
  // Rows of "Ġc" (of 8) and "d" (of 16): their mean.
  EXPECT_EQ(permilles(light.rows[0]), (std::vector<int64_t>{469, 531, -1}));
  EXPECT_EQ(blocked_reason(light.rows[0], 2), "it comes later");
  EXPECT_EQ(light.mask, Causal::kBottomRight);
}

TEST(Spotlight, BlankTokensAreToldApartByName) {
  const Spotlight light = shine(KnownLight({1}), "ab a\na", {.words = {"a:2"}});  // a b Ġ a Ċ a
  EXPECT_EQ(light.special, "(space)");
  EXPECT_EQ(light.rows[0].special.permille, 333);
  EXPECT_EQ(weighted_sum(light, light.rows[0]), "a:2 = 0.33 ab + 0.17 a:1 + 0.17 a:2 + 0.33 (space)");
}

// Rounded each by itself, 0.50 + 0.25 + 0.12 + 0.12 of the last row would be 0.99.
TEST(Spotlight, TheWrittenSumAddsToOne) {
  const Spotlight light = shine(KnownLight({1, 2, 4, 1}), "abba", {.words = {"abba"}, .unit = UnitKind::kToken});
  for (const SpotlightRow& row : light.rows) {
    int hundredths = 0;
    const std::string sum = weighted_sum(light, row);
    for (size_t at = 0; (at = sum.find('.', at)) != std::string::npos; ++at) {
      hundredths += std::stoi(sum.substr(at - 1, 1)) * 100 + std::stoi(sum.substr(at + 1, 2));
    }
    EXPECT_EQ(hundredths, 100) << sum;
  }
}

TEST(Spotlight, SpecialTokensOfTheTextAreNoWords) {
  const Spotlight light = shine(KnownLight({1}), "<x>ab<x>a", {.words = {"a"}});
  EXPECT_EQ(light.units, (std::vector<std::string>{"ab", "a"}));
  EXPECT_EQ(light.special, "<x>");
  EXPECT_EQ(light.rows[0].special.permille, 400);
  EXPECT_EQ(light.first_word, "");
  EXPECT_EQ(first_token_line(light, light.rows[0]), "");
}

TEST(Spotlight, WithoutSpecialTokensNoneAreNamed) {
  const Spotlight light = shine(KnownLight({1}), "ab", {.words = {"ab"}});
  EXPECT_EQ(light.special, "");
  EXPECT_EQ(weighted_sum(light, light.rows[0]), "ab = 1.00 ab");
  EXPECT_EQ(spotlight_csv(light), "query,query_index,word,index,weight,percent,blocked\nab,0,ab,0,1,100.0,false\n");
}

TEST(Spotlight, ASpreadsheetRunsNoWordOfATable) {
  Spotlight light = shine(KnownLight({1}), "ab", {.words = {"ab"}});
  for (const std::string word : {"=", "+", "-", "@", "=a", "-1", "\ta", "@a"}) {
    light.units[0] = light.rows[0].word = word;
    EXPECT_EQ(spotlight_csv(light),
              "query,query_index,word,index,weight,percent,blocked\n'" + word + ",0,'" + word + ",0,1,100.0,false\n");
  }
  light.units[0] = light.rows[0].word = "=\"a\",\r";
  EXPECT_NE(spotlight_csv(light).find("\n\"'=\"\"a\"\",\r\",0,"), std::string::npos);
  light.units[0] = light.rows[0].word = "a=b";
  EXPECT_NE(spotlight_csv(light).find("\na=b,0,a=b,"), std::string::npos);
}

size_t times(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

TEST(Spotlight, APictureOfSeveralWordsHasArcsFromEachOfThem) {
  const KnownLight reader({4, 2, 1, 1});
  const std::string text = "a b c d";  // 7 tokens, with the spaces
  const Spotlight both = shine(reader, text, {.words = {"b", "d"}, .mask = Mask::kNone});
  ASSERT_EQ(both.each.size(), 2U);
  const std::string picture = spotlight_svg(both);
  for (const std::string word : {"b", "d"}) {
    const Spotlight one = shine(reader, text, {.words = {word}, .mask = Mask::kNone});
    const std::string alone = spotlight_svg(one);
    EXPECT_EQ(times(picture, "<title>" + word + " to "), 3U) << picture;
    for (const std::string to : {"a", "b", "c", "d"}) {
      const std::string arc = "<title>" + word + " to " + to + ": ";
      const size_t at = alone.find(arc);
      EXPECT_EQ(at == std::string::npos, to == word);
      if (at != std::string::npos) {
        EXPECT_NE(picture.find(alone.substr(at, alone.find('<', at + 1) - at)), std::string::npos) << arc;
      }
    }
  }
  EXPECT_NE(picture.find("own shares, numbers"), std::string::npos);
  EXPECT_EQ(times(spotlight_svg(shine(reader, text, {.words = {"b"}})), "own shares, numbers"), 0U);
}

TEST(Spotlight, AShareThatRoundsToNothingIsNotSaidToBeNone) {
  const Spotlight light = shine(KnownLight({10000, 3, 1}), "a b", {.words = {"b"}});  // a Ġ b
  const Share& share = light.rows[0].shares[1];
  EXPECT_GT(share.weight, 0);
  EXPECT_EQ(share.permille, 0);
  EXPECT_EQ(share_text(share), "<0.1");
  EXPECT_EQ(share_text(Share{}), "0.0");
  EXPECT_NE(spotlight_csv(light).find(",0.0,false\n"), std::string::npos) << "a number";
  EXPECT_NE(spotlight_svg(light).find("&lt;0.1 %"), std::string::npos);
}

TEST(Spotlight, TheFirstTokenIsToldApart) {
  const Spotlight light = shine(KnownLight({6, 1, 1, 2}), "a b a", {.words = {"a:2"}});  // a Ġ b Ġ a
  EXPECT_EQ(light.first_word, "a");
  EXPECT_EQ(light.rows[0].first.permille, 375);
  EXPECT_EQ(first_token_line(light, light.rows[0]), "first token (\"a\"): 37.5 % of the light");
}

TEST(Spotlight, TheFirstTokenHasThePercentageOfItsUnitInTheWholeRow) {
  const KnownLight even({1});
  for (const bool without_first : {false, true}) {
    const auto first = [&](std::string_view text, std::vector<std::string> words, UnitKind unit) {
      return shine(even, text, {.words = words, .mask = Mask::kNone, .unit = unit, .without_first = without_first})
          .rows[0]
          .first.permille;
    };
    EXPECT_EQ(first("aba", {"aba"}, UnitKind::kPiece), 334) << "of 334, 333 and 333";
    EXPECT_EQ(first("a c d", {"a", "d"}, UnitKind::kWord), 250) << "in several rows too";
    EXPECT_EQ(first("aba", {"aba"}, UnitKind::kWord), 333) << "its part of a word that has all";
  }
}

TEST(Spotlight, WithoutTheFirstTokenTheOthersAddToAll) {
  const KnownLight reader({6, 1, 1, 2});
  const Spotlight light = shine(reader, "a cd", {.words = {"cd"}, .without_first = true});  // a Ġc d
  EXPECT_EQ(permilles(light.rows[0]), (std::vector<int64_t>{-1, 1000}));
  EXPECT_EQ(share_text(light.rows[0].shares[0]), "left out");
  EXPECT_NEAR(light.rows[0].first.weight, (6.0 / 7 + 6.0 / 8) / 2, 1e-6);
  EXPECT_NE(heading(light).find("without the first token"), std::string::npos);
  EXPECT_NE(spotlight_json(light).find("\"left_out\": true"), std::string::npos);

  const Spotlight part = shine(reader, "ab", {.words = {"ab"}, .without_first = true});
  EXPECT_EQ(permilles(part.rows[0]), std::vector<int64_t>{1000}) << "the word's other piece stays";
  const Spotlight none = shine(reader, "a c", {.words = {"a"}, .without_first = true});
  EXPECT_EQ(permilles(none.rows[0])[0], -1) << "a row without any other light";
}

TEST(Spotlight, SeveralWordsShineTogetherAndAddToAll) {
  const KnownLight reader({4, 1, 3, 8, 5, 5});
  const Spotlight one = shine(reader, "ab cd a", {.words = {"ab"}}), two = shine(reader, "ab cd a", {.words = {"cd"}});
  const Spotlight both = shine(reader, "ab cd a", {.words = {"ab", "cd", "cd"}});  // twice is once
  ASSERT_EQ(both.rows.size(), 1u);
  const SpotlightRow& row = both.rows[0];
  EXPECT_EQ(row.word, "ab + cd");
  EXPECT_NE(heading(both).find("mean of ab + cd"), std::string::npos);
  EXPECT_EQ(row.indices, (std::vector<int64_t>{0, 1}));
  int64_t sum = row.special.permille;
  for (size_t u = 0; u < 3; ++u) {
    EXPECT_NEAR(row.shares[u].weight, (one.rows[0].shares[u].weight + two.rows[0].shares[u].weight) / 2, 1e-12);
    EXPECT_EQ(row.shares[u].blocked, one.rows[0].shares[u].blocked && two.rows[0].shares[u].blocked);
    sum += row.shares[u].permille;
  }
  EXPECT_EQ(sum, 1000);
  EXPECT_FALSE(row.lse);
}

TEST(Spotlight, AWordIsNamedByItsNumberToo) {
  const KnownLight reader({1});
  EXPECT_EQ(shine(reader, "ab a b a", {.words = {"#3"}}).rows[0].index, 3);
  EXPECT_EQ(shine(reader, "ab a b a", {.words = {"a:2"}}).rows[0].index, 3);
  EXPECT_THROW(shine(reader, "ab a", {.words = {"#2"}}), std::invalid_argument);
  EXPECT_THROW(shine(reader, "ab a", {.words = {"#99999999999999999999"}}), std::invalid_argument);
}

// Shares in proportion 1 : 4 : 4 at temperature 1 are 1 : 2 : 2 at 2.
TEST(Spotlight, ATemperatureDividesTheScores) {
  const KnownLight reader({1, 4});
  const Spotlight light = shine(reader, "abb", {.words = {"abb"}, .unit = UnitKind::kPiece, .temperature = 2});
  EXPECT_FALSE(light.rows[0].lse);
  EXPECT_NE(heading(light).find("softmax temperature 2"), std::string::npos);
  EXPECT_NE(spotlight_json(light).find("\"temperature\": 2"), std::string::npos);
  const Spotlight last = shine(KnownLight({1, 4, 4}), "a b", {.words = {"b"}, .temperature = 2});  // a, space, b
  EXPECT_NEAR(last.rows[0].shares[0].weight, 1.0 / 5, 1e-6);
  EXPECT_NEAR(last.rows[0].shares[1].weight, 2.0 / 5, 1e-6);
  EXPECT_NEAR(last.rows[0].special.weight, 2.0 / 5, 1e-6);
}

TEST(Spotlight, TokensAreUnitsOfTheirOwnSpecialOnesToo) {
  const Spotlight light = shine(KnownLight({1}), "<x>ab", {.unit = UnitKind::kToken});
  EXPECT_EQ(light.units, (std::vector<std::string>{"<x>", "a", "b"}));
  EXPECT_EQ(light.special, "");
  ASSERT_EQ(light.rows.size(), 3u);
  EXPECT_EQ(permilles(light.rows[2]), (std::vector<int64_t>{334, 333, 333}));
}

TEST(Spotlight, WhatAWindowHidesDoesNotComeLater) {
  const Spotlight light = shine(KnownLight({1}, 2), "a b c d", {.words = {"d"}});
  EXPECT_FALSE(light.rows[0].shares[0].lit());
  EXPECT_EQ(blocked_reason(light.rows[0], 0), "it is beyond the window");
}

TEST(Spotlight, EachBlockedShareTellsItsOwnReason) {
  const KnownLight reader({1}, 1);  // a Ġ b Ġc Ġ d
  const std::string early = "it is beyond the window", late = "it comes later";
  const auto row = nlohmann::json::parse(spotlight_json(shine(reader, "a b c d", {.words = {"b"}})))["row"];
  EXPECT_EQ(row[0]["blocked_because"], early);
  EXPECT_FALSE(row[1].contains("blocked_because"));
  for (const size_t later : {2u, 3u}) EXPECT_EQ(row[later]["blocked_because"], late);
  EXPECT_EQ(blocked_reasons(shine(reader, "a b c d", {})), (std::set<std::string_view>{early, late}));
  EXPECT_EQ(blocked_reasons(shine(KnownLight({1}), "a b c d", {})), (std::set<std::string_view>{late}));
  EXPECT_TRUE(blocked_reasons(shine(KnownLight({1}), "a b", {.mask = Mask::kNone})).empty());
}

TEST(Spotlight, AWordThatCannotBeFoundIsRefusedWithTheReason) {
  const auto message = [](int64_t window, const char* word, const char* find) -> std::string {
    try {
      spotlight(KnownLight({1}, window), "a b c d", {.words = {word}, .find = find});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(1, "d", "a").find("it is beyond the window"), std::string::npos);
  EXPECT_NE(message(-1, "a", "d").find("it comes later"), std::string::npos);
}

TEST(Spotlight, ARolloutReachesAWindowFurtherInEachLayer) {
  const KnownLight reader({1}, 2, 3);
  const auto lit = [&](std::optional<int64_t> layer) {
    std::vector<bool> shown;
    const Spotlight light = spotlight(reader, "a b c d", {.words = {"d"}, .layer = layer, .rollout = true});
    for (const Share& share : light.rows[0].shares) {
      EXPECT_EQ(share.blocked, share.weight == 0);
      shown.push_back(share.lit());
    }
    return shown;
  };
  EXPECT_EQ(lit(0), (std::vector<bool>{false, false, true, true}));
  EXPECT_EQ(lit(1), (std::vector<bool>{false, true, true, true}));
  EXPECT_EQ(lit(std::nullopt), (std::vector<bool>{true, true, true, true}));
}

TEST(Spotlight, AGridOfAWholeChapterIsRefused) {
  std::string chapter;
  for (int i = 0; i < 1025; ++i) chapter += "a ";
  EXPECT_THROW(shine(KnownLight({1}), chapter, {}), std::invalid_argument);
  EXPECT_EQ(shine(KnownLight({1}), chapter, {.words = {"a:1025"}}).units.size(), 1025u);
}

TEST(Spotlight, AGridOfFewWordsOfManyTokensIsRefused) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "abcd ";
  try {
    shine(KnownLight({1}), text, {});
    FAIL() << "5,000 tokens";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).find("text: a grid of 1000 words takes 4194 tokens"), 0u) << error.what();
  }
}

TEST(Spotlight, WeightsThatAreNoNumbersAreRefused) {
  const KnownLight reader({1, std::numeric_limits<float>::quiet_NaN()});
  EXPECT_THROW(shine(reader, "ab", {.words = {"ab"}}), std::runtime_error);
}

TEST(Markup, HoldsNoCharacterThatXmlForbids) {
  EXPECT_EQ(escape_markup("a\uFFFEb\uFFFFc\x01 <\t&"), "a\uFFFDb\uFFFDc\uFFFD &lt;\t&amp;");
  EXPECT_EQ(escape_markup("動物"), "動物");
}

}  // namespace
}  // namespace limelight::studio
