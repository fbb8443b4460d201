// model.safetensors: published namings give the same bits, and every tensor that does not fit is named.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "limelight/error.h"
#include "limelight/safetensors.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_bert.h"

namespace limelight::testing {
namespace {

using Entry = TinyCheckpoint::Entry;

// LayerNorm.weight -> LayerNorm.gamma, LayerNorm.bias -> LayerNorm.beta.
std::string with_greek_norms(std::string name) {
  for (const auto& [from, to] :
       {std::pair{"LayerNorm.weight", "LayerNorm.gamma"}, {"LayerNorm.bias", "LayerNorm.beta"}}) {
    if (const size_t at = name.find(from); at != name.npos) name.replace(at, std::strlen(from), to);
  }
  return name;
}

// The message after a change of the tensor `name`.
std::string error_after(const std::string& name, const std::function<void(Entry&)>& change) {
  TinyBert bert;
  bert.edit_tensors([&](Entry& entry) {
    if (entry.name == name) change(entry);
  });
  const std::string error = thrown<FormatError>([&] { bert.load(); });
  const std::string start = bert.weights() + ": ";
  return error.starts_with(start) ? error.substr(start.size()) : error;
}

TEST(EncoderWeights, FourPublishedNamingsGiveTheSameBits) {
  const Encoder published = TinyBert().load();
  const auto ids = tiny_ids("bert", 0);
  const Tensor<float, 2> expected = published.forward(ids);
  EXPECT_EQ(published.unused_tensors(), (std::vector<std::string>{"pooler.dense.bias", "pooler.dense.weight"}));
  for (const std::string prefix : {"", "bert."}) {
    for (const bool greek : {false, true}) {
      TinyBert bert;
      bert.add_tensor("embeddings.position_ids", {1, 40});
      bert.add_tensor("cls.predictions.bias", {96});
      bert.edit_tensors([&](Entry& entry) {
        if (greek) entry.name = with_greek_norms(entry.name);
        if (!entry.name.starts_with("cls.")) entry.name = prefix + entry.name;
      });
      const Encoder encoder = bert.load();
      const Tensor<float, 2> hidden = encoder.forward(ids);
      EXPECT_EQ(std::memcmp(hidden.data(), expected.data(), sizeof(float) * static_cast<size_t>(hidden.count())), 0)
          << prefix << greek;
      EXPECT_EQ(encoder.unused_tensors(),
                (std::vector<std::string>{prefix + "pooler.dense.bias", prefix + "pooler.dense.weight",
                                          prefix + "embeddings.position_ids", "cls.predictions.bias"}));
    }
  }
}

TEST(EncoderWeights, ShapeThatConfigDoesNotSayIsNamed) {
  EXPECT_EQ(
      error_after("encoder.layer.1.intermediate.dense.weight",
                  [](Entry& entry) { std::swap(entry.shape[0], entry.shape[1]); }),
      "tensor 'encoder.layer.1.intermediate.dense.weight' shape: expected [64, 32] by config.json, found [32, 64]");
  EXPECT_EQ(error_after("embeddings.word_embeddings.weight",
                        [](Entry& entry) {
                          entry.shape = {95, 32};
                        }),
            "tensor 'embeddings.word_embeddings.weight' shape: expected [96, 32] by config.json, found [95, 32]");
  EXPECT_EQ(error_after("embeddings.LayerNorm.bias",
                        [](Entry& entry) {
                          entry.shape = {1, 32};
                        }),
            "tensor 'embeddings.LayerNorm.bias' shape: expected [32] by config.json, found [1, 32]");
}

TEST(EncoderWeights, ValueThatIsNotFiniteIsNamed) {
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    const std::string error =
        error_after("encoder.layer.0.output.dense.weight", [bad](Entry& entry) { entry.values[77] = bad; });
    EXPECT_EQ(error, "tensor 'encoder.layer.0.output.dense.weight': expected finite values, found " +
                         std::to_string(bad) + " at 77");
  }
}

TEST(EncoderWeights, MoreLayersThanTheFileHasAreMissed) {
  const TinyBert bert;
  bert.edit_config([](nlohmann::json& config) { config["num_hidden_layers"] = 3; });
  EXPECT_EQ(thrown<FormatError>([&] { bert.load(); }),
            bert.weights() + ": tensor 'encoder.layer.2.attention.self.query.weight': is missing");
}

TEST(EncoderWeights, SizesThatOnlyConfigSaysTakeNoMemory) {
  // One layer's projections of this many channels would be 12 TB.
  constexpr int64_t kChannels = 1 << 20;
  const TinyBert bert;
  bert.edit_config([&](nlohmann::json& config) {
    config["hidden_size"] = kChannels;
    for (const char* key : {"vocab_size", "max_position_embeddings", "type_vocab_size"}) config[key] = 1;
  });
  const std::vector<float> ones(kChannels, 1.0f);
  SafetensorsWriter writer;
  for (const char* name : {"word_embeddings.weight", "position_embeddings.weight", "token_type_embeddings.weight"}) {
    writer.add(std::string("embeddings.") + name, Dtype::kF32, {1, kChannels}, ones.data());
  }
  for (const char* name : {"weight", "bias"}) {
    writer.add(std::string("embeddings.LayerNorm.") + name, Dtype::kF32, {kChannels}, ones.data());
  }
  writer.write(bert.weights());
  EXPECT_EQ(thrown<FormatError>([&] { bert.load(); }),
            bert.weights() + ": tensor 'encoder.layer.0.attention.self.query.weight': is missing");
}

TEST(EncoderWeights, TypeThatIsNoNumberIsNamed) {
  const TinyBert bert;
  const std::vector<int32_t> ones(96 * 32, 1);
  SafetensorsWriter writer;
  writer.add("embeddings.word_embeddings.weight", Dtype::kI32, {96, 32}, ones.data());
  writer.write(bert.weights());
  EXPECT_EQ(
      thrown<FormatError>([&] { bert.load(); }),
      bert.weights() + ": tensor 'embeddings.word_embeddings.weight' dtype: expected F16, BF16 or F32, found I32");
}

}  // namespace
}  // namespace limelight::testing
