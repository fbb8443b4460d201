// What running a decoder promises, whatever its weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "limelight/error.h"
#include "limelight/lens.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_decoder.h"

namespace limelight::testing {
namespace {

// Logits of all ids, `cut` of them a call.
Tensor<float, 2> in_calls_of(const Decoder& decoder, const std::vector<int32_t>& ids, size_t cut) {
  DecoderCache cache(decoder.config(), static_cast<int64_t>(ids.size()));
  Tensor<float, 2> all({cache.capacity(), decoder.config().vocabulary});
  for (size_t t = 0; t < ids.size(); t += cut) {
    const size_t count = std::min(cut, ids.size() - t);
    const auto logits = decoder.forward(std::span(ids).subspan(t, count), cache);
    std::copy_n(logits.data(), logits.count(), &all(static_cast<int64_t>(t), 0));
  }
  EXPECT_EQ(cache.length(), cache.capacity());
  return all;
}

class AnyDecoder : public ::testing::TestWithParam<const char*> {
 protected:
  const Decoder decoder_ = tiny_decoder(GetParam());
  const std::vector<int32_t> ids_ = some_ids(40);
};

INSTANTIATE_TEST_SUITE_P(Models, AnyDecoder, ::testing::Values("gpt2", "llama", "llama_scaled"),
                         [](const auto& name) { return std::string(name.param); });

TEST_P(AnyDecoder, SameBitsForAnyThreadCount) {
  const auto one = logits_of(decoder_, ids_, {.run = {.threads = 1}});
  for (int threads : {2, 3, 7}) {
    EXPECT_TRUE(same_bits(one, logits_of(decoder_, ids_, {.run = {.threads = threads}}))) << threads;
  }
}

TEST_P(AnyDecoder, SameBitsForAnyCutOfTheTokensIntoCalls) {
  const auto whole = logits_of(decoder_, ids_);
  for (const size_t cut : {1, 3, 7}) EXPECT_TRUE(same_bits(whole, in_calls_of(decoder_, ids_, cut))) << cut;
}

TEST_P(AnyDecoder, LastLogitsAreTheLastRow) {
  const auto whole = logits_of(decoder_, ids_);
  DecoderCache cache(decoder_.config(), 40);
  const auto last = decoder_.forward_last(ids_, cache);
  EXPECT_TRUE(same_bits(last, rows_of(whole, 39, 1)));
  EXPECT_EQ(cache.length(), 40);
}

TEST_P(AnyDecoder, TokenDoesNotSeeWhatFollows) {
  const auto before = logits_of(decoder_, ids_);
  auto ids = ids_;
  ids[30] = (ids[30] + 1) % 96;
  const auto after = logits_of(decoder_, ids);
  EXPECT_TRUE(same_bits(rows_of(before, 0, 30), rows_of(after, 0, 30)));
  for (int64_t t = 30; t < 40; ++t) EXPECT_FALSE(same_bits(rows_of(before, t, 1), rows_of(after, t, 1))) << t;
}

TEST_P(AnyDecoder, PositionsMatter) {
  const std::vector<int32_t> ids = {5, 9, 5, 9, 17}, swapped = {9, 5, 5, 9, 17};
  EXPECT_FALSE(same_bits(rows_of(logits_of(decoder_, ids), 4, 1), rows_of(logits_of(decoder_, swapped), 4, 1)));
}

TEST_P(AnyDecoder, TruncatedTokensAreForgotten) {
  DecoderCache cache(decoder_.config(), 40);
  decoder_.forward(ids_, cache);
  cache.truncate(10);
  EXPECT_EQ(cache.length(), 10);
  const auto again = decoder_.forward(std::span(ids_).subspan(10), cache);
  EXPECT_TRUE(same_bits(again, rows_of(logits_of(decoder_, ids_), 10, 30)));
  EXPECT_EQ(thrown<std::invalid_argument>([&] { cache.truncate(41); }),
            "[decoder_cache] length: expected 0 to 40, found 41");
}

TEST_P(AnyDecoder, ObserverChangesNoBitAndSeesAllKeys) {
  DecoderCache cache(decoder_.config(), 40);
  std::vector<std::pair<int64_t, int64_t>> seen;  // of each call: queries and keys
  DecoderOptions options;
  options.observer = [&](const LayerAttention& layer) {
    const DecoderConfig& config = decoder_.config();
    EXPECT_EQ(layer.layer, static_cast<int64_t>(seen.size()) % config.layers);
    EXPECT_EQ(layer.q.sizes[1], config.heads);
    EXPECT_EQ(layer.k.sizes[1], config.groups);
    EXPECT_EQ(layer.q.sizes[3], config.head_size);
    const auto lens = look(layer.q, layer.k, layer.options, {.rows = {-1}});
    double sum = 0;
    for (int64_t j = 0; j < layer.k.sizes[2]; ++j) sum += static_cast<double>(lens.rows(0, 0, 0, j));
    EXPECT_NEAR(sum, 1, 1e-6);
    seen.emplace_back(layer.q.sizes[2], layer.k.sizes[2]);
  };
  const auto prompt = decoder_.forward(std::span(ids_).first(39), cache, options);
  const auto last = decoder_.forward(std::span(ids_).last(1), cache, options);
  const auto whole = logits_of(decoder_, ids_);
  EXPECT_TRUE(same_bits(prompt, rows_of(whole, 0, 39)));
  EXPECT_TRUE(same_bits(last, rows_of(whole, 39, 1)));
  EXPECT_EQ(seen, (std::vector<std::pair<int64_t, int64_t>>{{39, 39}, {39, 39}, {1, 40}, {1, 40}}));
}

TEST_P(AnyDecoder, StopsAfterTheLayersAskedFor) {
  DecoderCache cache(decoder_.config(), 40);
  int layers = 0;
  DecoderOptions options;
  options.layers = 1;
  options.observer = [&](const LayerAttention&) { ++layers; };
  EXPECT_EQ(decoder_.forward(std::span(ids_).first(5), cache, options).sizes(), (std::array<int64_t, 2>{0, 96}));
  EXPECT_EQ(layers, 1);
  EXPECT_EQ(thrown<std::invalid_argument>([&] { decoder_.forward(ids_, cache, {.layers = 2}); }),
            "[decoder] ids: 40 tokens on top of 5, the cache holds 40 and the model takes " +
                std::to_string(decoder_.config().positions));
  const auto next = std::span(ids_).subspan(5, 3);
  EXPECT_EQ(thrown<std::invalid_argument>([&] { decoder_.forward(next, cache); }),
            "[decoder] layers: expected at most 1, as for the tokens before, found 2");
  decoder_.forward(next, cache, options);
  EXPECT_EQ(cache.length(), 8);
  cache.truncate(0);
  EXPECT_TRUE(same_bits(decoder_.forward(ids_, cache), logits_of(decoder_, ids_)));
}

TEST_P(AnyDecoder, WithoutAMaskEveryTokenSeesAll) {
  DecoderOptions options;
  options.causal = Causal::kNone;
  const auto before = logits_of(decoder_, ids_, options);
  EXPECT_FALSE(same_bits(before, logits_of(decoder_, ids_)));
  auto ids = ids_;
  ids[39] = (ids[39] + 1) % 96;
  EXPECT_FALSE(same_bits(rows_of(before, 0, 1), rows_of(logits_of(decoder_, ids, options), 0, 1)));
  DecoderCache cache(decoder_.config(), 40);
  decoder_.forward(std::span(ids_).first(3), cache);
  EXPECT_EQ(thrown<std::invalid_argument>([&] { decoder_.forward(std::span(ids_).first(3), cache, options); }),
            "[decoder] causal: expected bottom_right, or none with an empty cache, found none with 3 tokens");
}

TEST_P(AnyDecoder, ProgressRisesToOneAndStops) {
  DecoderCache cache(decoder_.config(), 40);
  DecoderOptions options;
  double last = 0;
  options.run = {1, [&](double share) {
                   EXPECT_GE(share, last);
                   last = share;
                   return true;
                 }};
  decoder_.forward_last(std::span(ids_).first(4), cache, options);
  EXPECT_DOUBLE_EQ(last, 1);
  options.run.progress = [](double share) { return share < 0.5; };
  EXPECT_THROW(decoder_.forward(std::span(ids_).subspan(4), cache, options), Cancelled);
  EXPECT_EQ(cache.length(), 4);
  EXPECT_TRUE(
      same_bits(decoder_.forward(std::span(ids_).subspan(4), cache), rows_of(logits_of(decoder_, ids_), 4, 36)));
}

// Behind the last position there may be no row of the table of positions.
TEST_P(AnyDecoder, NoTokenGoesBeyondTheModelsPositionsWhateverItsCacheWasMadeFor) {
  DecoderConfig wide = decoder_.config();
  const int64_t positions = wide.positions;
  wide.positions = 100 * positions;
  DecoderCache cache(wide, 2 * positions);
  const std::string error =
      thrown<std::invalid_argument>([&] { decoder_.forward(some_ids(positions + 1), cache, {.layers = 1}); });
  EXPECT_TRUE(error.starts_with("[decoder] ids: " + std::to_string(positions + 1) + " tokens on top of 0")) << error;
  EXPECT_EQ(cache.length(), 0);
}

TEST_P(AnyDecoder, WhatDoesNotFitIsRefusedWithTheCacheAsItWas) {
  DecoderCache cache(decoder_.config(), 20);
  const auto error = [&](const std::vector<int32_t>& ids, const DecoderOptions& options = {}) {
    return thrown<std::invalid_argument>([&] { decoder_.forward(ids, cache, options); });
  };
  decoder_.forward(std::span(ids_).first(4), cache);
  EXPECT_EQ(error({}), "[decoder] ids: expected at least 1 token, found 0");
  EXPECT_EQ(error({1, 96}), "[decoder] ids[1]: expected 0 to 95, found 96");
  EXPECT_EQ(error({-1}), "[decoder] ids[0]: expected 0 to 95, found -1");
  EXPECT_EQ(error({1}, {.layers = 3}), "[decoder] layers: expected 1 to 2, found 3");
  EXPECT_EQ(error({1}, {.layers = 0}), "[decoder] layers: expected 1 to 2, found 0");
  EXPECT_EQ(error({1}, {.causal = Causal::kTopLeft}),
            "[decoder] causal: expected bottom_right, or none with an empty cache, found top_left");
  EXPECT_TRUE(error(some_ids(17)).starts_with("[decoder] ids: 17 tokens on top of 4, the cache holds 20"));
  const auto positions = decoder_.config().positions;
  EXPECT_EQ(thrown<std::invalid_argument>([&] { DecoderCache(decoder_.config(), positions + 1); }),
            "[decoder_cache] capacity: expected 0 to " + std::to_string(positions) + ", found " +
                std::to_string(positions + 1));
  const auto rest = decoder_.forward(std::span(ids_).subspan(4, 16), cache);
  EXPECT_TRUE(same_bits(rest, rows_of(logits_of(decoder_, ids_), 4, 16)));
}

TEST(Decoder, ACacheOfAnotherModelIsRefused) {
  DecoderCache cache(tiny_decoder("gpt2").config(), 20);
  EXPECT_EQ(thrown<std::invalid_argument>([&] { tiny_decoder("llama").forward(some_ids(3), cache); }),
            "[decoder] cache: expected one made for llama, found another model's");
}

// Longer than the blocks of rows that its network takes.
TEST(Decoder, LongPromptsGiveTheSameBitsInOneCall) {
  const TinyDecoder llama("llama");
  llama.edit_config([](nlohmann::json& config) { config["max_position_embeddings"] = 2000; });
  const Decoder decoder = llama.load();
  const auto ids = some_ids(1100);
  const auto whole = logits_of(decoder, ids);
  for (const size_t cut : {100, 513}) EXPECT_TRUE(same_bits(whole, in_calls_of(decoder, ids, cut))) << cut;
  DecoderCache cache(decoder.config(), 1100);
  DecoderOptions options;
  double last = 0;
  options.run.progress = [&](double share) { return last = share, true; };
  EXPECT_TRUE(same_bits(decoder.forward_last(ids, cache, options), rows_of(whole, 1099, 1)));
  EXPECT_DOUBLE_EQ(last, 1);
}

// A window of 3 tokens in one layer: a token depends on itself and the two before it.
TEST(Decoder, AWindowHidesWhatIsFurtherBack) {
  const auto with_window = [](const nlohmann::json& window, int layers) {
    const TinyDecoder mistral("llama");
    mistral.edit_config([&](nlohmann::json& config) {
      config["model_type"] = "mistral";
      config["sliding_window"] = window;
      config["num_hidden_layers"] = layers;
    });
    return mistral.load();
  };
  const Decoder narrow = with_window(3, 1);
  EXPECT_EQ(narrow.config().window, 3);
  const auto ids = some_ids(30);
  const auto before = logits_of(narrow, ids);
  auto changed = ids;
  changed[10] = (changed[10] + 1) % 96;
  const auto after = logits_of(narrow, changed);
  for (int64_t t = 0; t < 30; ++t) {
    EXPECT_EQ(same_bits(rows_of(before, t, 1), rows_of(after, t, 1)), t < 10 || t > 12) << t;
  }
  EXPECT_TRUE(same_bits(before, in_calls_of(narrow, ids, 7)));
  EXPECT_TRUE(same_bits(logits_of(with_window(30, 2), ids), logits_of(with_window(nullptr, 2), ids)));
}

// Every weight is finite, and their products are not.
TEST(Decoder, AResultThatIsNotFiniteIsRefused) {
  TinyDecoder gpt2("gpt2");
  gpt2.edit_tensors([](TinyDecoder::Entry& entry) { std::fill(entry.values.begin(), entry.values.end(), 3e38f); });
  const Decoder decoder = gpt2.load();
  EXPECT_TRUE(thrown<FormatError>([&] {
                logits_of(decoder, some_ids(3));
              }).ends_with(": its weights give numbers that are not finite"));
}

}  // namespace
}  // namespace limelight::testing
