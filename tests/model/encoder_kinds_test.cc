// BERT, DistilBERT and RoBERTa: what their files call things, and where their positions begin.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "limelight/error.h"
#include "limelight/safetensors.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_encoder.h"

namespace limelight::testing {
namespace {

// The largest difference; NaN when one is NaN.
double distance(const Tensor<float, 2>& found, const std::vector<double>& expected) {
  EXPECT_EQ(found.count(), static_cast<int64_t>(expected.size()));
  double most = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double apart = std::abs(static_cast<double>(found.data()[i]) - expected[i]);
    if (!(apart <= most)) most = apart;
  }
  return most;
}

std::vector<int64_t> counted_from(int64_t first, size_t count) {
  std::vector<int64_t> positions(count);
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

// Hidden states are normalised, of size 1; their error in float is some units of 1e-7.
constexpr double kClose = 5e-6;

class EncoderKinds : public ::testing::TestWithParam<const char*> {};

TEST_P(EncoderKinds, HiddenStatesEqualTheFormulasInDouble) {
  const TinyEncoder tiny(GetParam());
  const Encoder encoder = tiny.load();
  EXPECT_EQ(encoder.config().architecture, GetParam());
  EXPECT_TRUE(encoder.unused_tensors().empty());
  const bool roberta = encoder.config().architecture == "roberta";
  EXPECT_EQ(encoder.config().positions, roberta ? 20 : 22);
  for (const size_t length : {size_t{1}, size_t{7}, static_cast<size_t>(encoder.config().positions)}) {
    std::vector<int32_t> ids(length);
    std::iota(ids.begin(), ids.end(), 2);
    EXPECT_LT(distance(encoder.forward(ids), tiny.hidden(ids, counted_from(roberta ? 2 : 0, length))), kClose);
  }
  EXPECT_THROW(encoder.forward(std::vector<int32_t>(roberta ? 21 : 23, 2)), std::invalid_argument);
}

TEST_P(EncoderKinds, NamesMayBeWithoutTheirRoot) {
  TinyEncoder tiny(GetParam());
  const std::vector<int32_t> ids = {3, 4, 5};
  const auto expected = tiny.load().forward(ids);
  const std::string root = std::string(GetParam()) + ".";
  std::map<std::string, TinyEncoder::Weights> bare;
  for (auto& [name, weights] : tiny.tensors) bare[name.substr(root.size())] = weights;
  tiny.tensors = std::move(bare);
  tiny.tensors["pooler.dense.bias"] = {{1}, {0}};
  const Encoder encoder = tiny.load();
  const auto found = encoder.forward(ids);
  for (int64_t i = 0; i < found.count(); ++i) EXPECT_EQ(found.data()[i], expected.data()[i]);
  EXPECT_EQ(encoder.unused_tensors(), std::vector<std::string>{"pooler.dense.bias"});
}

TEST_P(EncoderKinds, WhatIsMissingIsNamed) {
  const TinyEncoder whole(GetParam());
  for (const auto& [name, weights] : whole.tensors) {
    if (name.ends_with("word_embeddings.weight")) continue;  // the root is known by it
    TinyEncoder tiny(GetParam());
    tiny.tensors.erase(name);
    EXPECT_EQ(tiny.error(), "model.safetensors: tensor '" + name + "': is missing");
  }
  for (const auto& [key, value] : whole.config.items()) {
    if (key == "pad_token_id" || key == "sinusoidal_pos_embds") continue;
    TinyEncoder tiny(GetParam());
    tiny.config.erase(key);
    EXPECT_EQ(tiny.error(), "config.json: " + key + ": is missing");
  }
}

TEST_P(EncoderKinds, ABatchGivesWhatEachTextGivesAlone) {
  const Encoder encoder = TinyEncoder(GetParam()).load();
  const std::vector<int32_t> texts[] = {{3, 1, 4, 0}, {5}, {9, 2, 6, 5, 3, 5, 8}};
  TokenBatch batch;
  for (const auto& text : texts) batch.add(text);
  const auto hidden = encoder.forward(batch);
  for (size_t s = 0; s < 3; ++s) {
    const auto alone = encoder.forward(texts[s]);
    for (int64_t i = 0; i < alone.count(); ++i)
      EXPECT_EQ(hidden.data()[batch.starts()[s] * alone.sizes()[1] + i], alone.data()[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, EncoderKinds, ::testing::Values("bert", "distilbert", "roberta"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST(Roberta, APaddingTokenInATextKeepsItsPositionAndIsNotCounted) {
  const TinyEncoder tiny("roberta");
  const std::vector<int32_t> ids = {0, 7, 1, 8, 1, 9};
  EXPECT_LT(distance(tiny.load().forward(ids), tiny.hidden(ids, {2, 3, 1, 4, 1, 5})), kClose);
}

TEST(Roberta, PositionsBeginBehindThePaddingTokensId) {
  TinyEncoder tiny("roberta");
  const std::vector<int32_t> ids = {0, 7, 8};
  tiny.config["pad_token_id"] = 5;
  EXPECT_EQ(tiny.load().config().positions, 16);
  EXPECT_LT(distance(tiny.load().forward(ids), tiny.hidden(ids, {6, 7, 8})), kClose);
  tiny.config.erase("pad_token_id");
  EXPECT_LT(distance(tiny.load().forward(ids), tiny.hidden(ids, {2, 3, 4})), kClose);
  tiny.config["pad_token_id"] = 21;
  EXPECT_EQ(tiny.error(), "config.json: max_position_embeddings: expected an integer from 23 to 268435456, found 22");
  tiny.config["pad_token_id"] = -1;
  EXPECT_EQ(tiny.error(), "config.json: pad_token_id: expected an integer from 0 to 268435456, found -1");
}

TEST(EncoderFiles, FieldsAreCheckedUnderTheNamesTheFileHas) {
  TinyEncoder tiny("distilbert");
  tiny.config["n_heads"] = 5;
  EXPECT_EQ(tiny.error(), "config.json: n_heads: expected a divisor of dim 24, found 5");
  tiny.config["n_heads"] = 3;
  tiny.config["activation"] = "relu";
  EXPECT_EQ(tiny.error(),
            "config.json: activation: expected \"gelu\", \"gelu_new\" or \"gelu_pytorch_tanh\", found \"relu\"");
  tiny.config["activation"] = "gelu";
  tiny.config["hidden_dim"] = 41;
  EXPECT_EQ(tiny.error(),
            "model.safetensors: tensor 'distilbert.transformer.layer.0.ffn.lin1.weight' shape: expected [41, 24] by "
            "config.json, found [40, 24]");
}

TEST(EncoderFiles, XlmRobertaIsRefusedByName) {
  TinyEncoder tiny("roberta");
  for (const char* type : {"xlm-roberta", "camembert", "mpnet"}) {
    tiny.config["model_type"] = type;
    EXPECT_EQ(tiny.error(), std::string("config.json: model_type: expected \"bert\", \"distilbert\" or \"roberta\", "
                                        "found \"") +
                                type + "\"");
  }
}

TEST(EncoderFiles, WeightsMayLieInSeveralFiles) {
  const TinyEncoder tiny("roberta");
  const std::vector<int32_t> ids = {3, 4, 5};
  const auto expected = tiny.load().forward(ids);
  std::filesystem::remove(tiny.path() / "model.safetensors");
  nlohmann::json map;
  SafetensorsWriter writers[2];
  const char* const files[2] = {"a.safetensors", "b.safetensors"};
  for (size_t n = 0; const auto& [name, weights] : tiny.tensors) {
    writers[n % 2].add(name, Dtype::kF32, weights.shape, weights.values.data());
    map[name] = files[n++ % 2];
  }
  for (size_t n = 0; n < 2; ++n) writers[n].write(tiny.path() / files[n]);
  write_text(tiny.path() / "model.safetensors.index.json", nlohmann::json{{"weight_map", map}}.dump());
  const auto found = Encoder::load(tiny.path()).forward(ids);
  for (int64_t i = 0; i < found.count(); ++i) EXPECT_EQ(found.data()[i], expected.data()[i]);
}

}  // namespace
}  // namespace limelight::testing
