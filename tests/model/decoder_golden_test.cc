// Decoders against values of another implementation: attention of every layer and head, logits, greedy texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limelight/decoder.h"
#include "limelight/safetensors.h"
#include "tests/model/model_folder.h"
#include "tests/model/temporary_folder.h"
#include "tests/model/tiny_decoder.h"

namespace limelight::testing {
namespace {

const std::filesystem::path kGolden = LIMELIGHT_GOLDEN;

// The largest difference of any element; NaN when one is NaN.
double distance(const float* found, const float* expected, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double apart = std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i]));
    if (!(apart <= most)) most = apart;
  }
  return most;
}

double largest(const float* values, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; ++i) most = std::max(most, std::abs(static_cast<double>(values[i])));
  return most;
}

// The weights of one layer [H, T, T], rebuilt from what the observer was given.
std::vector<float> weights_of(const LayerAttention& layer) {
  const auto [batch, heads, tokens, depth] = layer.q.sizes;
  const int64_t shared = heads / layer.k.sizes[1];
  const double scale = 1 / std::sqrt(static_cast<double>(depth));
  std::vector<float> weights;
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t i = 0; i < tokens; ++i) {
      for (int64_t j = 0; j < tokens; ++j) {
        double score = 0;
        for (int64_t d = 0; d < depth; ++d) {
          score += static_cast<double>(layer.q(0, h, i, d)) * static_cast<double>(layer.k(0, h / shared, j, d));
        }
        const double weight = std::exp(scale * score - static_cast<double>(layer.lse(0, h, i)));
        weights.push_back(j > i ? 0 : static_cast<float>(weight));
      }
    }
  }
  return weights;
}

struct Seen {
  Tensor<float, 2> logits;
  std::vector<std::vector<float>> weights;  // of each layer
};

Seen observe(const Decoder& decoder, const std::vector<int32_t>& ids) {
  Seen seen;
  DecoderOptions options;
  options.observer = [&](const LayerAttention& layer) {
    EXPECT_EQ(layer.layer, static_cast<int64_t>(seen.weights.size()));
    EXPECT_EQ(layer.options.causal, Causal::kBottomRight);
    seen.weights.push_back(weights_of(layer));
  };
  DecoderCache cache(decoder.config(), static_cast<int64_t>(ids.size()));
  seen.logits = decoder.forward(ids, cache, options);
  return seen;
}

// Of expected attention [L, H, T, T], every `stride` floats a layer.
double attention_distance(const Seen& seen, const float* expected, int64_t stride) {
  double most = 0;
  for (size_t layer = 0; layer < seen.weights.size(); ++layer) {
    const auto& weights = seen.weights[layer];
    most = std::max(most, distance(weights.data(), expected + static_cast<int64_t>(layer) * stride,
                                   static_cast<int64_t>(weights.size())));
  }
  return most;
}

class TinyGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(TinyGolden, LogitsAndAttentionAgree) {
  const std::string name = GetParam();
  const Decoder decoder = Decoder::load(kGolden / "tiny" / name);
  EXPECT_TRUE(decoder.unused_tensors().empty());
  const auto file = SafetensorsFile::open(kGolden / "tiny" / (name + ".expected.safetensors"));
  const auto result = read_tensor<float, 3>(file, *file.find("result"));
  const TensorInfo& info = *file.find("attention");  // [L, B, H, T, T]
  std::vector<float> attention(static_cast<size_t>(info.count()));
  std::memcpy(attention.data(), info.bytes.data(), info.bytes.size());
  const int64_t per_sentence = decoder.config().heads * 11 * 11;
  for (int64_t sentence : {0, 1}) {
    const Seen seen = observe(decoder, tiny_ids(name, sentence));
    ASSERT_EQ(seen.weights.size(), 2u);
    const float* expected = &result(sentence, 0, 0);
    EXPECT_LT(attention_distance(seen, attention.data() + sentence * per_sentence, 2 * per_sentence), 2e-6);
    const double apart = distance(seen.logits.data(), expected, seen.logits.count());
    EXPECT_LT(apart, 1e-5 * largest(expected, seen.logits.count()));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, TinyGolden, ::testing::Values("gpt2", "llama", "llama_scaled"),
                         [](const auto& name) { return std::string(name.param); });

class SmolLm2 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_model("smollm2")) GTEST_SKIP() << how_to_bring("smollm2");
  }

  static const Decoder& decoder() {
    static const Decoder loaded = Decoder::load(model_folder("smollm2") / "SmolLM2-135M-Instruct.Q4_1.gguf");
    return loaded;
  }
  static nlohmann::json index() { return nlohmann::json::parse(read_text(kGolden / "smollm2.json")); }
};

TEST_F(SmolLm2, MetadataIsRead) {
  const DecoderConfig& config = decoder().config();
  EXPECT_EQ(config.name, "SmolLM2-135M-Instruct.Q4_1");
  EXPECT_EQ(config.architecture, "llama");
  EXPECT_EQ(config.layers, 30);
  EXPECT_EQ(config.heads, 9);
  EXPECT_EQ(config.groups, 3);
  EXPECT_EQ(config.head_size, 64);
  EXPECT_EQ(config.vocabulary, 49152);
  EXPECT_EQ(config.positions, 8192);
  EXPECT_EQ(config.window, -1);
  EXPECT_EQ(decoder().end_ids(), std::vector<int32_t>{2});
  EXPECT_NE(decoder().chat_template().value_or("").find("<|im_start|>"), std::string::npos);
  EXPECT_TRUE(decoder().unused_tensors().empty());
  EXPECT_EQ(decoder().tokenizer().vocabulary_size(), 49152);
}

TEST_F(SmolLm2, AttentionAndLastLogitsAgree) {
  const auto file = SafetensorsFile::open(kGolden / "smollm2.safetensors");
  const auto sentences = index()["sentences"];
  ASSERT_EQ(sentences.size(), 2u);
  for (size_t n = 0; n < sentences.size(); ++n) {
    const std::string name = std::to_string(n) + "/";
    const auto attention = read_tensor<float, 4>(file, *file.find(name + "attention"));
    const auto logits = read_tensor<float, 1>(file, *file.find(name + "last_logits"));
    const auto ids = sentences[n]["ids"].get<std::vector<int32_t>>();
    const Seen seen = observe(decoder(), ids);
    ASSERT_EQ(seen.weights.size(), 30u);
    const auto last = static_cast<int64_t>(ids.size()) - 1;
    EXPECT_LT(attention_distance(seen, attention.data(), attention.count() / 30), 1e-4);
    EXPECT_LT(distance(&seen.logits(last, 0), logits.data(), logits.count()), 2e-3);
  }
}

TEST_F(SmolLm2, GreedyTextsAgree) {
  const auto prompts = index()["prompts"];
  ASSERT_EQ(prompts.size(), 3u);
  for (const auto& prompt : prompts) {
    SCOPED_TRACE(prompt["text"]);
    std::vector<int32_t> next = prompt["ids"], greedy;
    DecoderCache cache(decoder().config(), 64);
    for (int step = 0; step < 24; ++step) {
      const auto logits = decoder().forward_last(next, cache);
      const float* end = logits.data() + logits.count();
      if (step == 0) {
        for (size_t n = 0; n < prompt["top_ids"].size(); ++n) {
          EXPECT_NEAR(logits(0, prompt["top_ids"][n].get<int64_t>()), prompt["top_logits"][n].get<float>(), 2e-3);
        }
      }
      next = {static_cast<int32_t>(std::max_element(logits.data(), end) - logits.data())};
      greedy.push_back(next.front());
    }
    EXPECT_EQ(greedy, prompt["greedy_ids"].get<std::vector<int32_t>>());
  }
}

}  // namespace
}  // namespace limelight::testing
