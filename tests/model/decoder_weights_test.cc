// Weights of decoders in safetensors: published namings give the same bits, and every tensor that does not fit is
// named.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "limelight/error.h"
#include "limelight/safetensors.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_decoder.h"

namespace limelight::testing {
namespace {

using Entry = TinyDecoder::Entry;

const std::vector<int32_t> kIds = {5, 9, 77, 3, 0, 95};

bool same_bits(const Tensor<float, 2>& a, const Tensor<float, 2>& b) {
  return a.sizes() == b.sizes() && std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<size_t>(a.count())) == 0;
}

std::string load_error(const TinyDecoder& tiny) {
  const std::string error = thrown<FormatError>([&] { tiny.load(); });
  const std::string start = tiny.weights() + ": ";
  return error.starts_with(start) ? error.substr(start.size()) : error;
}

// The message after a change of the tensor `name`.
std::string error_after(const char* model, const std::string& name, const std::function<void(Entry&)>& change) {
  TinyDecoder tiny(model);
  tiny.edit_tensors([&](Entry& entry) {
    if (entry.name == name) change(entry);
  });
  return load_error(tiny);
}

// The masks that GPT-2 files keep beside their weights are no biases.
TEST(DecoderWeights, Gpt2WithAndWithoutPrefixAndBuffersGivesTheSameBits) {
  TinyDecoder tiny("gpt2");
  const auto expected = logits_of(tiny.load(), kIds);
  tiny.add_tensor("transformer.h.0.attn.bias", {1, 1, 40, 40});
  tiny.add_tensor("transformer.h.0.attn.masked_bias", {1}, -1e4f);
  EXPECT_TRUE(same_bits(logits_of(tiny.load(), kIds), expected));
  EXPECT_EQ(tiny.load().unused_tensors(),
            (std::vector<std::string>{"transformer.h.0.attn.bias", "transformer.h.0.attn.masked_bias"}));
  tiny.edit_tensors([](Entry& entry) { entry.name = entry.name.substr(std::strlen("transformer.")); });
  EXPECT_TRUE(same_bits(logits_of(tiny.load(), kIds), expected));
}

TEST(DecoderWeights, OutputMatrixIsTiedOrItsOwnAsConfigSays) {
  TinyDecoder tiny("llama");
  const auto own = logits_of(tiny.load(), kIds);
  tiny.edit_config([](nlohmann::json& config) { config["tie_word_embeddings"] = true; });
  const Decoder tied = tiny.load();
  EXPECT_FALSE(same_bits(logits_of(tied, kIds), own));
  EXPECT_EQ(tied.unused_tensors(), std::vector<std::string>{"lm_head.weight"});
  tiny.edit_config([](nlohmann::json& config) { config.erase("tie_word_embeddings"); });
  EXPECT_TRUE(same_bits(logits_of(tiny.load(), kIds), own));
  tiny.edit_tensors([](Entry& entry) {
    if (entry.name == "lm_head.weight") entry.name.clear();
  });
  EXPECT_EQ(load_error(tiny), "tensor 'lm_head.weight': is missing");
}

TEST(DecoderWeights, BiasesAreReadWhereTheArchitectureHasThem) {
  TinyDecoder tiny("llama");
  const auto plain = logits_of(tiny.load(), kIds);
  tiny.edit_config([](nlohmann::json& config) { config["model_type"] = "qwen2"; });
  EXPECT_EQ(load_error(tiny), "tensor 'model.layers.0.self_attn.q_proj.bias': is missing");
  for (const std::string layer : {"0", "1"}) {
    for (const auto& [name, count] : {std::pair{"q", 32}, {"k", 16}, {"v", 16}}) {
      tiny.add_tensor("model.layers." + layer + ".self_attn." + name + "_proj.bias", {count}, 0);
    }
  }
  EXPECT_TRUE(same_bits(logits_of(tiny.load(), kIds), plain));
  tiny.edit_tensors([](Entry& entry) {
    if (entry.name.ends_with("v_proj.bias")) entry.values[3] = 1;
  });
  EXPECT_FALSE(same_bits(logits_of(tiny.load(), kIds), plain));
  EXPECT_TRUE(tiny.load().unused_tensors().empty());
  tiny.edit_config([](nlohmann::json& config) {
    config["model_type"] = "llama";
    config["mlp_bias"] = true;
  });
  EXPECT_EQ(load_error(tiny), "tensor 'model.layers.0.mlp.gate_proj.bias': is missing");
}

TEST(DecoderWeights, HalvesAreReadAsTheFloatsTheyStandFor) {
  TinyDecoder tiny("llama");
  std::vector<std::vector<BFloat16>> halves;
  tiny.edit_tensors([&](Entry& entry) {
    halves.emplace_back();
    for (float& x : entry.values) {
      halves.back().push_back(to_bfloat16(x));
      x = to_float(halves.back().back());
    }
  });
  const auto expected = logits_of(tiny.load(), kIds);
  SafetensorsWriter writer;
  for (size_t n = 0; n < halves.size(); ++n) {
    writer.add(tiny.entries()[n].name, Dtype::kBf16, tiny.entries()[n].shape, halves[n].data());
  }
  writer.write(tiny.weights());
  EXPECT_TRUE(same_bits(logits_of(tiny.load(), kIds), expected));
}

TEST(DecoderWeights, MissingTensorIsNamed) {
  for (const std::string name :
       {"model.embed_tokens.weight", "model.norm.weight", "model.layers.0.input_layernorm.weight",
        "model.layers.1.self_attn.k_proj.weight", "model.layers.1.mlp.down_proj.weight"}) {
    const std::string error = error_after("llama", name, [](Entry& entry) { entry.name.clear(); });
    EXPECT_EQ(error, "tensor '" + name + "': is missing");
  }
  EXPECT_EQ(error_after("gpt2", "transformer.h.1.attn.c_attn.bias", [](Entry& entry) { entry.name.clear(); }),
            "tensor 'transformer.h.1.attn.c_attn.bias': is missing");
}

TEST(DecoderWeights, ShapeThatConfigDoesNotSayIsNamed) {
  const auto swap = [](Entry& entry) { std::swap(entry.shape[0], entry.shape[1]); };
  EXPECT_EQ(error_after("llama", "model.layers.1.mlp.down_proj.weight", swap),
            "tensor 'model.layers.1.mlp.down_proj.weight' shape: expected [32, 56] by config.json, found [56, 32]");
  EXPECT_EQ(error_after("gpt2", "transformer.h.0.mlp.c_fc.weight", swap),
            "tensor 'transformer.h.0.mlp.c_fc.weight' shape: expected [32, 128] by config.json, found [128, 32]");
}

// Also of matrices that are stacked to one, and of those that lie the other way round.
TEST(DecoderWeights, ValueThatIsNotFiniteIsNamedWithItsTensorAndPlace) {
  const auto expect_named = [](const char* model, const std::string& name) {
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
      const std::string found = std::isnan(bad) ? "nan" : bad > 0 ? "inf" : "-inf";
      EXPECT_EQ(error_after(model, name, [bad](Entry& entry) { entry.values[33] = bad; }),
                "tensor '" + name + "': expected finite values, found " + found + " at 33");
    }
  };
  for (const char* part : {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
                           "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"}) {
    expect_named("llama", "model.layers.1." + std::string(part) + ".weight");
  }
  expect_named("llama", "model.embed_tokens.weight");
  for (const char* part : {"attn.c_attn.weight", "attn.c_attn.bias", "mlp.c_proj.weight"}) {
    expect_named("gpt2", "transformer.h.0." + std::string(part));
  }
  EXPECT_EQ(error_after("llama", "model.norm.weight", [](Entry& entry) { entry.values[3] = NAN; }),
            "tensor 'model.norm.weight': expected finite values, found nan at 3");
}

TEST(DecoderWeights, TypeThatIsNoNumberIsNamed) {
  TinyDecoder tiny("llama");
  const std::vector<int32_t> ones(96 * 32, 1);
  SafetensorsWriter writer;
  writer.add("model.embed_tokens.weight", Dtype::kI32, {96, 32}, ones.data());
  writer.write(tiny.weights());
  EXPECT_EQ(load_error(tiny), "tensor 'model.embed_tokens.weight' dtype: expected F16, BF16 or F32, found I32");
}

// A folder whose tensors lie in two files.
class Sharded : public ::testing::Test {
 protected:
  Sharded() {
    tiny_.write(shard(1), [](const Entry& entry) { return entry.name.find("layers.1") == std::string::npos; });
    tiny_.write(shard(2), [](const Entry& entry) { return entry.name.find("layers.1") != std::string::npos; });
    std::filesystem::remove(tiny_.weights());
    for (const Entry& entry : tiny_.entries()) {
      map_[entry.name] = shard(entry.name.find("layers.1") == std::string::npos ? 1 : 2).filename();
    }
    write_index();
  }

  std::filesystem::path shard(int n) const {
    return tiny_.path() / ("model-0000" + std::to_string(n) + "-of-00002.safetensors");
  }
  std::filesystem::path index() const { return tiny_.path() / "model.safetensors.index.json"; }
  void write_index() const { write_text(index(), nlohmann::json{{"weight_map", map_}}.dump()); }

  TinyDecoder tiny_{"llama"};
  nlohmann::json map_;
};

TEST_F(Sharded, GivesTheSameBitsAsOneFile) {
  EXPECT_TRUE(same_bits(logits_of(tiny_.load(), kIds), logits_of(TinyDecoder("llama").load(), kIds)));
}

TEST_F(Sharded, FilesThatDoNotFitTheListAreNamed) {
  std::filesystem::rename(shard(1), tiny_.path() / "spare");
  std::filesystem::rename(shard(2), shard(1));
  std::filesystem::rename(tiny_.path() / "spare", shard(2));
  const std::string error = thrown<FormatError>([&] { tiny_.load(); });
  EXPECT_EQ(error,
            shard(1).string() + ": tensor 'lm_head.weight': is missing, though " + index().string() + " lists it");
}

TEST_F(Sharded, FileThatIsMissingOrCutShortIsNamed) {
  const auto whole = read_text(shard(2));
  write_text(shard(2), whole.substr(0, whole.size() - 1));
  EXPECT_TRUE(thrown<FormatError>([&] { tiny_.load(); }).starts_with(shard(2).string() + ": "));
  std::filesystem::remove(shard(2));
  EXPECT_TRUE(thrown<FileError>([&] { tiny_.load(); }).starts_with(shard(2).string() + ": "));
}

TEST_F(Sharded, FilesOfOtherFoldersAreRefused) {
  const std::string expected =
      index().string() + ": weight_map[\"model.norm.weight\"]: expected a file of the same folder, found \"";
  for (const char* file : {"../model.safetensors", "/etc/passwd", "", "a/b", ".", ".."}) {
    map_["model.norm.weight"] = file;
    write_index();
    EXPECT_EQ(thrown<FormatError>([&] { tiny_.load(); }), expected + file + "\"");
  }
  map_["model.norm.weight"] = shard(1).filename().string() + std::string(1, '\0');
  write_index();
  EXPECT_EQ(thrown<FormatError>([&] { tiny_.load(); }), expected + shard(1).filename().string() + "\\u0000\"");
}

TEST(DecoderWeights, MissingFolderFileAndTokenizerAreNamed) {
  const TinyDecoder tiny("llama");
  const auto none = tiny.path() / "none";
  EXPECT_TRUE(thrown<FileError>([&] { Decoder::load(none); }).starts_with((none / "config.json").string()));
  EXPECT_EQ(thrown<FormatError>([&] { tiny.load().tokenizer(); }),
            (tiny.path() / "tokenizer.json").string() + ": has no tokenizer; without it only ids can be run");
  std::filesystem::remove(tiny.weights());
  EXPECT_EQ(thrown<FileError>([&] { tiny.load(); }), tiny.weights() + ": cannot read: No such file or directory");
}

}  // namespace
}  // namespace limelight::testing
