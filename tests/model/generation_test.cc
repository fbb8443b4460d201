// What writing a text promises, whatever the model's weights.
#include "limelight/generation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "limelight/error.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_writer.h"

namespace limelight::testing {
namespace {

using Ids = std::vector<int32_t>;

constexpr int64_t kPositions = 64;
const Ids kPrompt = {72, 73, 7};

// Never ends by itself.
const Decoder& tiny() {
  static const Decoder decoder = [] {
    const TinyWriter writer;
    writer.end_with(-1);
    return writer.load();
  }();
  return decoder;
}

Ids greedy_ids(int64_t count) {
  return generate(tiny(), kPrompt, {.max_tokens = count}).ids;
}

std::string text_of(const Ids& ids) {
  return tiny().tokenizer().decode(ids, {.continued = true});
}

std::string refusal(const Ids& prompt, const GenerationOptions& options = {}) {
  return thrown<std::invalid_argument>([&] { generate(tiny(), prompt, options); });
}

TEST(Generate, GreedyTakesTheLargestLogitOfAFullPass) {
  Ids ids = kPrompt;
  for (const int32_t id : greedy_ids(20)) {
    const auto logits = logits_of(tiny(), ids);
    const float* last = &logits(logits.sizes()[0] - 1, 0);
    EXPECT_EQ(id, std::max_element(last, last + logits.sizes()[1]) - last);
    ids.push_back(id);
  }
}

TEST(Generate, SameTextForAnyThreadCount) {
  const GenerationOptions one{.max_tokens = 30, .temperature = 3, .seed = 1, .run = {.threads = 1}};
  const auto alone = generate(tiny(), kPrompt, one);
  for (const int threads : {2, 3}) {
    GenerationOptions options = one;
    options.run.threads = threads;
    EXPECT_EQ(generate(tiny(), kPrompt, options).ids, alone.ids) << threads;
  }
}

TEST(Generate, TheSeedAloneMakesADrawDiffer) {
  const auto ids = [](uint64_t seed) {
    return generate(tiny(), kPrompt, {.max_tokens = 30, .temperature = 3, .seed = seed}).ids;
  };
  EXPECT_EQ(ids(1), ids(1));
  EXPECT_NE(ids(1), ids(2));
}

TEST(Generate, MoreTokensBeginWithTheFewer) {
  const Ids few = generate(tiny(), kPrompt, {.max_tokens = 5, .temperature = 3}).ids;
  Ids many = generate(tiny(), kPrompt, {.max_tokens = 30, .temperature = 3}).ids;
  many.resize(5);
  EXPECT_EQ(many, few);
}

TEST(Generate, TextsOfAllCallsAreTheResults) {
  Ids ids;
  std::string text;
  const auto result = generate(tiny(), kPrompt, {.max_tokens = 30, .temperature = 3, .stop = {"\n\n\n\n"}},
                               [&](int32_t id, std::string_view part) {
                                 ids.push_back(id);
                                 text += part;
                                 return true;
                               });
  EXPECT_EQ(ids, result.ids);
  EXPECT_EQ(text, result.text);
  EXPECT_EQ(text, text_of(ids));
  EXPECT_EQ(result.end, GenerationEnd::kMaxTokens);
  EXPECT_EQ(ids.size(), 30u);
}

TEST(Generate, EndsBeforeAStopTextAcrossTokens) {
  const std::string whole = text_of(generate(tiny(), kPrompt, {.max_tokens = 30, .temperature = 3}).ids);
  const std::string stop = whole.substr(10, 3);
  const auto result = generate(tiny(), kPrompt, {.max_tokens = 30, .temperature = 3, .stop = {"zz", stop}});
  EXPECT_EQ(result.end, GenerationEnd::kStopText);
  EXPECT_EQ(result.text, whole.substr(0, whole.find(stop)));
  EXPECT_EQ(text_of(result.ids), result.text + stop);
}

TEST(Generate, ABeginningOfAStopTextIsTextInTheEnd) {
  const std::string whole = text_of(greedy_ids(6));
  std::string told;
  const auto result = generate(tiny(), kPrompt, {.max_tokens = 6, .stop = {whole.substr(4) + "!"}},
                               [&](int32_t, std::string_view part) {
                                 told += part;
                                 return true;
                               });
  EXPECT_EQ(result.text, whole);
  EXPECT_EQ(told, whole);
}

TEST(Generate, TheEndTokenEndsAndIsNoPartOfTheText) {
  const Ids ids = greedy_ids(8);
  const auto at = static_cast<size_t>(std::find(ids.begin(), ids.end(), ids[5]) - ids.begin());
  const TinyWriter writer;
  writer.end_with(ids[5]);
  Ids told;
  const auto result = generate(writer.load(), kPrompt, {.max_tokens = 8}, [&](int32_t id, std::string_view) {
    told.push_back(id);
    return true;
  });
  EXPECT_EQ(result.end, GenerationEnd::kEndToken);
  EXPECT_EQ(result.ids, Ids(ids.begin(), ids.begin() + static_cast<int64_t>(at)));
  EXPECT_EQ(told.back(), ids[5]);
}

TEST(Generate, AFullContextIsAnEnd) {
  const Ids prompt(kPositions - 4, 70);
  const auto result = generate(tiny(), prompt, {.max_tokens = 100});
  EXPECT_EQ(result.end, GenerationEnd::kContextFull);
  EXPECT_EQ(result.ids.size(), 4u);
  EXPECT_EQ(generate(tiny(), prompt, {.max_tokens = 4}).end, GenerationEnd::kMaxTokens);
  EXPECT_EQ(generate(tiny(), Ids(kPositions - 1, 70), {}).ids.size(), 1u);
}

TEST(Generate, AFalseCallbackEndsWithWhatThereIs) {
  int64_t calls = 0;
  const auto result =
      generate(tiny(), kPrompt, {.max_tokens = 30}, [&](int32_t, std::string_view) { return ++calls < 5; });
  EXPECT_EQ(result.end, GenerationEnd::kCancelled);
  EXPECT_EQ(result.ids, greedy_ids(5));
  EXPECT_EQ(result.text, text_of(result.ids));
  EXPECT_EQ(calls, 5);
}

TEST(Generate, AFalseProgressEndsWithWhatThereIs) {
  bool go_on = true;
  GenerationOptions options{.max_tokens = 30};
  options.stop = {text_of(greedy_ids(6)).substr(4) + "!"};
  options.run.progress = [&](double) { return go_on; };
  int64_t calls = 0;
  const auto result = generate(tiny(), kPrompt, options, [&](int32_t, std::string_view) {
    go_on = ++calls < 6;
    return true;
  });
  EXPECT_EQ(result.end, GenerationEnd::kCancelled);
  EXPECT_EQ(result.ids, greedy_ids(6));
  EXPECT_EQ(result.text, text_of(result.ids)) << "held back text is not lost";

  options.run.progress = [](double) { return false; };
  const auto nothing = generate(tiny(), kPrompt, options);
  EXPECT_EQ(nothing.end, GenerationEnd::kCancelled);
  EXPECT_TRUE(nothing.ids.empty() && nothing.text.empty());
}

TEST(Generate, ProgressCountsThePromptAndStaysAtOne) {
  double last = 0;
  GenerationOptions options{.max_tokens = 3};
  options.run = {1, [&](double share) {
                   EXPECT_GE(share, last);
                   last = share;
                   return true;
                 }};
  generate(tiny(), kPrompt, options);
  EXPECT_DOUBLE_EQ(last, 1);
}

TEST(Generate, TheObserverSeesEveryTokenOnceAndChangesNone) {
  GenerationOptions options{.max_tokens = 7};
  std::vector<int64_t> keys;
  options.observer = [&](const LayerAttention& seen) {
    if (seen.layer == 1) keys.push_back(seen.k.sizes[2]);
  };
  const auto result = generate(tiny(), kPrompt, options);
  EXPECT_EQ(result.ids, greedy_ids(7));
  EXPECT_EQ(keys, (std::vector<int64_t>{3, 4, 5, 6, 7, 8, 9, 10}));
}

TEST(Generate, PromptsThatDoNotFitAreRefused) {
  EXPECT_EQ(refusal({}), "[generate] prompt: expected at least 1 token, found 0");
  for (const size_t count : {size_t{kPositions}, size_t{100000}}) {
    EXPECT_EQ(refusal(Ids(count, 1)),
              "[generate] prompt: expected at most 63 tokens, so that one more fits, found " + std::to_string(count));
  }
  for (const int32_t id : {-1, 96}) EXPECT_NE(refusal({1, id}).find(std::to_string(id)), std::string::npos);
}

TEST(Generate, OptionsOutOfRangeAreRefused) {
  EXPECT_NE(refusal(kPrompt, {.max_tokens = 0}).find("max_tokens"), std::string::npos);
  EXPECT_NE(refusal(kPrompt, {.temperature = -1}).find("temperature"), std::string::npos);
  EXPECT_NE(refusal(kPrompt, {.top_k = -1}).find("top_k"), std::string::npos);
  EXPECT_NE(refusal(kPrompt, {.top_p = 0}).find("top_p"), std::string::npos);
  EXPECT_NE(refusal(kPrompt, {.stop = {"a", ""}}).find("stop"), std::string::npos);
  EXPECT_EQ(generate(tiny(), kPrompt, {.max_tokens = std::numeric_limits<int64_t>::max()}).ids.size(), 61u);
}

TEST(Generate, RowsWithoutAPieceAreNeverDrawn) {
  const Ids greedy = greedy_ids(8);
  const TinyWriter writer;
  writer.end_with(-1);
  writer.edit_tokenizer([&](nlohmann::json& tokenizer) {
    auto& pieces = tokenizer["model"]["vocab"];
    for (auto piece = pieces.begin(); piece != pieces.end();) {
      const bool drawn = std::find(greedy.begin(), greedy.end(), piece.value().get<int32_t>()) != greedy.end();
      piece = drawn || piece.value() >= 90 ? pieces.erase(piece) : std::next(piece);
    }
  });
  const Decoder decoder = writer.load();
  ASSERT_FALSE(decoder.tokenizer().has_piece(greedy[0]) || decoder.tokenizer().has_piece(95));
  for (const float temperature : {0.0f, 1.0f, 50.0f}) {
    const auto result = generate(decoder, kPrompt, {.max_tokens = 60, .temperature = temperature});
    ASSERT_EQ(result.ids.size(), 60u);
    for (const int32_t id : result.ids) EXPECT_TRUE(decoder.tokenizer().has_piece(id)) << id;
  }
}

TEST(Generate, AModelWithoutATokenizerIsRefused) {
  const TinyDecoder decoder("llama");
  EXPECT_THROW(generate(decoder.load(), kPrompt), FormatError);
}

}  // namespace
}  // namespace limelight::testing
