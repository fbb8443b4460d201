// The encoder against values of another implementation: attention of every layer and head, hidden states, embeddings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "limelight/safetensors.h"
#include "tests/model/model_folder.h"
#include "tests/model/tiny_bert.h"

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

// The weights of one layer [H, T, T], rebuilt from what the observer was given.
std::vector<float> weights_of(const LayerAttention& layer) {
  const auto [batch, heads, tokens, depth] = layer.q.sizes;
  const double scale = 1 / std::sqrt(static_cast<double>(depth));
  std::vector<float> weights;
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t i = 0; i < tokens; ++i) {
      for (int64_t j = 0; j < tokens; ++j) {
        double score = 0;
        for (int64_t d = 0; d < depth; ++d) {
          score += static_cast<double>(layer.q(0, h, i, d)) * static_cast<double>(layer.k(0, h, j, d));
        }
        weights.push_back(static_cast<float>(std::exp(scale * score - static_cast<double>(layer.lse(0, h, i)))));
      }
    }
  }
  return weights;
}

struct Seen {
  Tensor<float, 2> hidden;
  std::vector<std::vector<float>> weights;  // of each layer
};

Seen observe(const Encoder& encoder, const std::vector<int32_t>& ids) {
  Seen seen;
  EncoderOptions options;
  options.observer = [&](const LayerAttention& layer) {
    EXPECT_EQ(layer.layer, static_cast<int64_t>(seen.weights.size()));
    EXPECT_EQ(layer.options.causal, Causal::kNone);
    seen.weights.push_back(weights_of(layer));
  };
  seen.hidden = encoder.forward(ids, options);
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

class TinyEncoderGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(TinyEncoderGolden, HiddenStatesAndAttentionAgree) {
  const Encoder encoder = Encoder::load(kGolden / "tiny" / GetParam());
  const auto file = SafetensorsFile::open(kGolden / "tiny" / (GetParam() + std::string(".expected.safetensors")));
  const auto ids = read_tensor<int64_t, 2>(file, *file.find("ids"));
  const auto result = read_tensor<float, 3>(file, *file.find("result"));
  const TensorInfo& info = *file.find("attention");  // [L, B, H, T, T]
  std::vector<float> attention(static_cast<size_t>(info.count()));
  std::memcpy(attention.data(), info.bytes.data(), info.bytes.size());
  const int64_t per_sentence = 4 * 11 * 11;
  for (int64_t sentence : {0, 1}) {
    const Seen seen = observe(encoder, {&ids(sentence, 0), &ids(sentence, 0) + 11});
    ASSERT_EQ(seen.weights.size(), 2u);
    EXPECT_LT(attention_distance(seen, attention.data() + sentence * per_sentence, 2 * per_sentence), 2e-6);
    EXPECT_LT(distance(seen.hidden.data(), &result(sentence, 0, 0), seen.hidden.count()), 2e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, TinyEncoderGolden, ::testing::Values("bert", "distilbert", "roberta"),
                         [](const auto& name) { return std::string(name.param); });

TEST(EncoderGolden, MiniLmAgrees) {
  if (!has_model("minilm")) GTEST_SKIP() << how_to_bring("minilm");
  const Encoder encoder = Encoder::load(model_folder("minilm"));
  EXPECT_EQ(encoder.unused_tensors(),
            (std::vector<std::string>{"embeddings.position_ids", "pooler.dense.bias", "pooler.dense.weight"}));
  const auto file = SafetensorsFile::open(kGolden / "minilm.safetensors");
  const auto index = nlohmann::json::parse(read_text(kGolden / "minilm.json"));
  ASSERT_EQ(index["sentences"].size(), 4u);
  for (size_t n = 0; n < index["sentences"].size(); ++n) {
    const auto ids = index["sentences"][n]["ids"].get<std::vector<int32_t>>();
    const std::string name = std::to_string(n) + "/";
    const auto attention = read_tensor<float, 4>(file, *file.find(name + "attention"));
    const auto hidden = read_tensor<float, 2>(file, *file.find(name + "hidden"));
    const auto embedding = read_tensor<float, 1>(file, *file.find(name + "embedding"));
    const Seen seen = observe(encoder, ids);
    ASSERT_EQ(seen.weights.size(), 6u);
    EXPECT_LT(attention_distance(seen, attention.data(), attention.count() / 6), 2e-5);
    EXPECT_LT(distance(seen.hidden.data(), hidden.data(), hidden.count()), 2e-4);
    EXPECT_LT(distance(encoder.embed(ids).data(), embedding.data(), embedding.count()), 1e-5);
  }
}

}  // namespace
}  // namespace limelight::testing
