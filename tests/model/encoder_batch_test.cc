// Texts of unequal lengths in one call: each has the bits it has alone, and nothing is padded.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "limelight/error.h"
#include "limelight/lens.h"
#include "tests/model/model_folder.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_bert.h"

namespace limelight::testing {
namespace {

const std::filesystem::path kGolden = LIMELIGHT_GOLDEN;

using Texts = std::vector<std::vector<int32_t>>;

const Encoder& tiny() {
  static const Encoder encoder = Encoder::load(kGolden / "tiny" / "bert");
  return encoder;
}

// Of these lengths, no two alike.
Texts texts_of(std::initializer_list<size_t> lengths) {
  Texts texts;
  for (const size_t length : lengths) {
    std::vector<int32_t>& text = texts.emplace_back(length);
    std::iota(text.begin(), text.end(), static_cast<int32_t>(7 * texts.size()));
  }
  return texts;
}

TokenBatch batch_of(const Texts& texts) {
  TokenBatch batch;
  for (const auto& text : texts) batch.add(text);
  return batch;
}

bool same_bits(const float* a, const float* b, int64_t count) {
  return std::memcmp(a, b, sizeof(float) * static_cast<size_t>(count)) == 0;
}

// What an observer sees of one layer: the lens's rows of all heads, and lse.
struct Seen {
  Tensor<float, 4> rows;
  Tensor<uint8_t, 4> blocked;
  std::vector<float> lse;  // [H, T]
};

std::vector<Seen> watched(const Encoder& encoder, const TokenBatch& batch, EncoderOptions options) {
  std::vector<Seen> layers;
  options.observer = [&](const LayerAttention& layer) {
    LensRequest request;
    request.rows.resize(static_cast<size_t>(layer.q.sizes[2]));
    std::iota(request.rows.begin(), request.rows.end(), 0);
    LensResult lens = look(layer.q, layer.k, layer.options, request);
    Seen seen{std::move(lens.rows), std::move(lens.rows_blocked), {}};
    for (int64_t h = 0; h < layer.q.sizes[1]; ++h) {
      for (int64_t t = 0; t < layer.q.sizes[2]; ++t) seen.lse.push_back(layer.lse(0, h, t));
    }
    layers.push_back(std::move(seen));
  };
  encoder.forward(batch, options);
  return layers;
}

// Rows of the text that stands at `first` in a layer of the batch, against the layer of the text alone.
void expect_rows(const Seen& all, const Seen& alone, int64_t first) {
  const auto [batch, heads, tokens, keys] = alone.rows.sizes();
  const int64_t places = all.rows.sizes()[2];
  int others_seen = 0;
  for (int64_t h = 0; h < heads; ++h) {
    EXPECT_TRUE(same_bits(&all.lse[static_cast<size_t>(h * places + first)],
                          &alone.lse[static_cast<size_t>(h * tokens)], tokens));
    for (int64_t t = 0; t < tokens; ++t) {
      EXPECT_TRUE(same_bits(&all.rows(0, h, first + t, first), &alone.rows(0, h, t, 0), keys));
      for (int64_t j = 0; j < places; ++j) {
        if (j >= first && j < first + tokens) continue;
        if (all.rows(0, h, first + t, j) != 0 || all.blocked(0, h, first + t, j) == 0) ++others_seen;
      }
    }
  }
  EXPECT_EQ(others_seen, 0);
}

// Hidden states, attention of every layer and head, and embeddings.
void expect_as_alone(const Encoder& encoder, const Texts& texts, const EncoderOptions& options = {}) {
  const TokenBatch batch = batch_of(texts);
  const auto hidden = encoder.forward(batch, options), embeddings = encoder.embed(batch, options);
  const auto seen = watched(encoder, batch, options);
  ASSERT_EQ(hidden.sizes(), (std::array<int64_t, 2>{batch.tokens(), encoder.config().hidden}));
  ASSERT_EQ(embeddings.sizes()[0], static_cast<int64_t>(texts.size()));
  for (size_t s = 0; s < texts.size(); ++s) {
    SCOPED_TRACE("text " + std::to_string(s));
    const int64_t first = batch.starts()[s];
    const auto alone = encoder.forward(texts[s], options);
    EXPECT_TRUE(same_bits(&hidden(first, 0), alone.data(), alone.count()));
    const auto embedding = encoder.embed(texts[s], options);
    EXPECT_TRUE(same_bits(&embeddings(static_cast<int64_t>(s), 0), embedding.data(), embedding.count()));
    const auto layers = watched(encoder, TokenBatch(texts[s]), options);
    ASSERT_EQ(seen.size(), layers.size());
    for (size_t l = 0; l < layers.size(); ++l) expect_rows(seen[l], layers[l], first);
  }
}

TEST(EncoderBatch, EachTextHasTheBitsItHasAloneForAnyThreadCount) {
  for (const int threads : {1, 2, 7}) {
    EncoderOptions options;
    options.run.threads = threads;
    expect_as_alone(tiny(), texts_of({1, 11, 40, 3, 40, 2}), options);
  }
}

TEST(EncoderBatch, UnderTheCausalMaskToo) {
  EncoderOptions options;
  options.causal = Causal::kBottomRight;
  expect_as_alone(tiny(), texts_of({5, 1, 17}), options);
}

TEST(EncoderBatch, OfOneTextIsThatTextAndOfNoneIsNothing) {
  expect_as_alone(tiny(), texts_of({11}));
  int layers = 0;
  EncoderOptions options;
  options.observer = [&](const LayerAttention& layer) {
    ++layers;
    EXPECT_FALSE(layer.options.cu_q || layer.options.cu_k);
  };
  tiny().forward(batch_of(texts_of({11})), options);
  EXPECT_EQ(layers, 2);
  EXPECT_EQ(tiny().forward(TokenBatch(), options).sizes(), (std::array<int64_t, 2>{0, 32}));
  EXPECT_EQ(tiny().embed(TokenBatch(), options).sizes(), (std::array<int64_t, 2>{0, 32}));
  EXPECT_EQ(layers, 2);
}

TEST(EncoderBatch, TextsThatDoNotFitAreNamed) {
  const auto error = [](Texts texts) {
    return thrown<std::invalid_argument>([&] { tiny().forward(batch_of(texts)); });
  };
  EXPECT_EQ(error({{1, 2}, {}, {3}}), "[encoder] text 1 ids: expected at least 1 token, found 0");
  EXPECT_EQ(error({{}}), "[encoder] ids: expected at least 1 token, found 0");
  EXPECT_EQ(error({{1}, std::vector<int32_t>(41, 1)}), "[encoder] text 1 ids: text has 41 tokens, the model takes 40");
  EXPECT_EQ(error({{1, 2}, {3, 96}}), "[encoder] text 1 ids[1]: expected 0 to 95, found 96");
  EXPECT_EQ(error({{-1}, {3}}), "[encoder] text 0 ids[0]: expected 0 to 95, found -1");
}

TEST(EncoderBatch, ProgressRisesToOneAndStops) {
  double last = 0;
  EncoderOptions options;
  options.run.progress = [&](double share) {
    EXPECT_GE(share, last);
    last = share;
    return true;
  };
  tiny().forward(batch_of(texts_of({9, 30, 4})), options);
  EXPECT_DOUBLE_EQ(last, 1);
  options.run.progress = [](double share) { return share < 0.5; };
  EXPECT_THROW(tiny().forward(batch_of(texts_of({9, 30, 4})), options), Cancelled);
}

TEST(EncoderBatch, MiniLmsGoldenSentencesAreAsAlone) {
  if (!has_model("minilm")) GTEST_SKIP() << how_to_bring("minilm");
  const Encoder encoder = Encoder::load(model_folder("minilm"));
  const auto index = nlohmann::json::parse(read_text(kGolden / "minilm.json"));
  Texts texts;
  for (const auto& sentence : index["sentences"]) texts.push_back(sentence["ids"].get<std::vector<int32_t>>());
  for (const auto& text : index["texts"]) texts.push_back(text["ids"].get<std::vector<int32_t>>());
  ASSERT_GT(texts.size(), 8u);
  expect_as_alone(encoder, texts);
}

}  // namespace
}  // namespace limelight::testing
