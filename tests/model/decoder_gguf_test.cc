// Decoders in GGUF files: the bits of the same model in a folder, and refusal by name of what is not known.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "limelight/error.h"
#include "limelight/nn.h"
#include "limelight/storage.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_gguf.h"

namespace limelight::testing {
namespace {

const std::vector<int32_t> kIds = {5, 9, 77, 3, 0, 95};

bool same_bits(const Tensor<float, 2>& a, const Tensor<float, 2>& b) {
  return a.sizes() == b.sizes() && std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<size_t>(a.count())) == 0;
}

std::string load_error(const TinyGguf& gguf) {
  const std::string error = thrown<FormatError>([&] { gguf.load(); });
  const std::string start = gguf.path().string() + ": ";
  return error.starts_with(start) ? error.substr(start.size()) : error;
}

// The message with this change of tiny llama's metadata.
std::string error_with(const std::string& key, const auto& value) {
  TinyGguf gguf(TinyDecoder("llama"), "llama");
  gguf.set(key, value);
  return load_error(gguf);
}

std::string floats_bytes(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

TEST(DecoderGguf, SameBitsAsTheFolder) {
  for (const std::string name : {"llama", "gpt2"}) {
    const TinyDecoder folder(name);
    const Decoder gguf = TinyGguf(folder, name).load();
    EXPECT_EQ(gguf.config().name, "tiny");
    EXPECT_EQ(gguf.config().vocabulary, 96);
    EXPECT_EQ(gguf.config().head_size, 8);
    EXPECT_TRUE(gguf.unused_tensors().empty());
    EXPECT_TRUE(same_bits(logits_of(gguf, kIds), logits_of(folder.load(), kIds))) << name;
  }
}

TEST(DecoderGguf, OutputMatrixThatIsAbsentIsTied) {
  TinyDecoder folder("llama");
  TinyGguf gguf(folder, "llama");
  gguf.tensors.erase("output.weight");
  folder.edit_config([](nlohmann::json& config) { config["tie_word_embeddings"] = true; });
  EXPECT_TRUE(same_bits(logits_of(gguf.load(), kIds), logits_of(folder.load(), kIds)));
}

TEST(DecoderGguf, QwensBiasesAndHalvesAreRead) {
  TinyDecoder folder("llama");
  for (const std::string layer : {"0", "1"}) {
    for (const auto& [name, count] : {std::pair{"q", 32}, {"k", 16}, {"v", 16}}) {
      folder.add_tensor("model.layers." + layer + ".self_attn." + name + "_proj.bias", {count}, 0.25f);
    }
  }
  folder.edit_tensors([](TinyDecoder::Entry& entry) {
    if (entry.name.ends_with("_proj.bias")) entry.values[3] = -1;
  });
  folder.edit_config([](nlohmann::json& config) { config["model_type"] = "qwen2"; });
  TinyGguf gguf(folder, "qwen2");
  EXPECT_TRUE(same_bits(logits_of(gguf.load(), kIds), logits_of(folder.load(), kIds)));
  gguf.tensors.erase("blk.1.attn_k.bias");
  EXPECT_EQ(load_error(gguf), "tensor 'blk.1.attn_k.bias': is missing");
}

// Llama files with biases keep those of queries and keys by pairs too.
TEST(DecoderGguf, LlamasBiasesAreReadWhereTheFileHasThem) {
  TinyDecoder folder("llama");
  for (const std::string layer : {"0", "1"}) {
    for (const auto& [name, count] : {std::pair{"q", 32}, {"k", 16}, {"v", 16}, {"o", 32}}) {
      folder.add_tensor("model.layers." + layer + ".self_attn." + name + "_proj.bias", {count}, 0.25f);
    }
  }
  folder.edit_tensors([](TinyDecoder::Entry& entry) {
    if (entry.name.ends_with("_proj.bias")) entry.values[5] = -1;
  });
  folder.edit_config([](nlohmann::json& config) { config["attention_bias"] = true; });
  EXPECT_TRUE(same_bits(logits_of(TinyGguf(folder, "llama").load(), kIds), logits_of(folder.load(), kIds)));
}

TEST(DecoderGguf, LinearScalingIsObeyed) {
  const TinyDecoder folder("llama");
  TinyGguf gguf(folder, "llama");
  gguf.set("llama.rope.scaling.type", "linear");
  gguf.set("llama.rope.scaling.factor", 4.0f);
  folder.edit_config([](nlohmann::json& config) {
    config["rope_parameters"] = {{"rope_type", "linear"}, {"factor", 4.0}, {"rope_theta", 10000.0}};
  });
  EXPECT_TRUE(same_bits(logits_of(gguf.load(), kIds), logits_of(folder.load(), kIds)));
  gguf.set("llama.rope.scaling.type", "none");
  EXPECT_TRUE(same_bits(logits_of(gguf.load(), kIds), logits_of(TinyDecoder("llama").load(), kIds)));
}

// Converters store what Llama 3's scaling divides each frequency by.
TEST(DecoderGguf, FrequencyDivisorsAreObeyed) {
  const TinyDecoder folder("llama_scaled");
  TinyGguf gguf(folder, "llama");
  const auto expected = logits_of(folder.load(), kIds);
  EXPECT_FALSE(same_bits(logits_of(gguf.load(), kIds), expected));
  std::vector<float> divisors;
  for (const double f : rope_frequencies(24, 10000)) {
    const double turns = f * 16 / (2 * M_PI), kept = std::clamp((turns - 1) / 3, 0.0, 1.0);
    divisors.push_back(static_cast<float>(1 / (kept + (1 - kept) / 8)));
  }
  gguf.tensors["rope_freqs.weight"] = {{12}, kF32Id, floats_bytes(divisors)};
  const Decoder decoder = gguf.load();
  EXPECT_TRUE(decoder.unused_tensors().empty());
  const auto found = logits_of(decoder, kIds);
  for (int64_t i = 0; i < found.count(); ++i) EXPECT_NEAR(found.data()[i], expected.data()[i], 1e-5);
  divisors[3] = 0;
  gguf.tensors["rope_freqs.weight"].bytes = floats_bytes(divisors);
  EXPECT_EQ(load_error(gguf), "tensor 'rope_freqs.weight': expected values above 0, found 0 at 3");
}

TEST(DecoderGguf, WindowIsObeyed) {
  const TinyDecoder folder("llama");
  TinyGguf gguf(folder, "llama");
  gguf.set("llama.attention.sliding_window", uint64_t{3});
  folder.edit_config([](nlohmann::json& config) {
    config["model_type"] = "mistral";
    config["sliding_window"] = 3;
  });
  EXPECT_TRUE(same_bits(logits_of(gguf.load(), kIds), logits_of(folder.load(), kIds)));
  EXPECT_EQ(gguf.load().config().window, 3);
}

// Values of one layer in blocks of 8 bits, the other matrices in floats.
TEST(DecoderGguf, MatricesOfSeveralTypesGiveTheBitsOfTheirFloats) {
  constexpr float kScale = 1.0f / 64;
  TinyDecoder folder("llama");
  std::string blocks;
  folder.edit_tensors([&](TinyDecoder::Entry& entry) {
    if (entry.name != "model.layers.1.self_attn.v_proj.weight") return;
    for (size_t i = 0; i < entry.values.size(); ++i) {
      if (i % 32 == 0) blocks += little(to_float16(kScale).bits, 2);
      const float code = std::clamp(std::round(entry.values[i] / kScale), -127.0f, 127.0f);
      blocks += static_cast<char>(static_cast<int8_t>(code));
      entry.values[i] = code * kScale;
    }
  });
  TinyGguf gguf(folder, "llama");
  gguf.tensors["blk.1.attn_v.weight"] = {{16, 32}, kQ8_0Id, blocks};
  EXPECT_TRUE(same_bits(logits_of(gguf.load(), kIds), logits_of(folder.load(), kIds)));
}

TEST(DecoderGguf, KeysThatAreNotKnownAreRefusedByName) {
  EXPECT_EQ(error_with("llama.logit_scale", 0.5f), "metadata 'llama.logit_scale': is not supported");
  EXPECT_EQ(error_with("llama.attention.layer_norm_weird", uint64_t{1}),
            "metadata 'llama.attention.layer_norm_weird': is not supported");
  EXPECT_EQ(error_with("llama.expert_count", uint64_t{8}), "metadata 'llama.expert_count': expected 0, found 8");
  EXPECT_EQ(error_with("llama.expert_count", uint64_t{0}), "(nothing was thrown)");
  EXPECT_EQ(error_with("llama.rope.scaling.type", "yarn"),
            "metadata 'llama.rope.scaling.type': expected 'none' or 'linear', found 'yarn'");
  EXPECT_EQ(error_with("general.architecture", "gemma2"),
            "metadata 'general.architecture': expected 'llama', 'qwen2' or 'gpt2', found 'gemma2'");
}

TEST(DecoderGguf, SizesThatDoNotFitAreNamed) {
  EXPECT_EQ(error_with("llama.rope.dimension_count", uint64_t{4}),
            "metadata 'llama.rope.dimension_count': expected 8, found 4");
  EXPECT_EQ(error_with("llama.attention.value_length", uint64_t{16}),
            "metadata 'llama.attention.value_length': expected 8, found 16");
  EXPECT_EQ(error_with("llama.vocab_size", uint64_t{95}), "metadata 'llama.vocab_size': expected 96, found 95");
  EXPECT_EQ(error_with("llama.attention.head_count_kv", uint64_t{3}),
            "metadata 'llama.attention.head_count_kv': expected a divisor of attention.head_count 4, found 3");
  EXPECT_EQ(error_with("llama.block_count", uint64_t{3}), "tensor 'blk.2.attn_norm.weight': is missing");
  EXPECT_EQ(error_with("llama.feed_forward_length", uint64_t{64}),
            "tensor 'blk.0.ffn_gate.weight' shape: expected [64, 32] by the metadata, found [56, 32]");
}

TEST(DecoderGguf, MissingKeysAndTensorsAreNamed) {
  for (const std::string key :
       {"general.architecture", "llama.block_count", "llama.context_length", "llama.embedding_length",
        "llama.feed_forward_length", "llama.attention.head_count", "llama.attention.layer_norm_rms_epsilon"}) {
    TinyGguf gguf(TinyDecoder("llama"), "llama");
    gguf.metadata.erase(key);
    EXPECT_EQ(load_error(gguf), "metadata '" + key + "': is missing");
  }
  for (const std::string name : {"token_embd.weight", "output_norm.weight", "blk.1.ffn_gate.weight"}) {
    TinyGguf gguf(TinyDecoder("llama"), "llama");
    gguf.tensors.erase(name);
    EXPECT_EQ(load_error(gguf), "tensor '" + name + "': is missing");
  }
}

TEST(DecoderGguf, WeightThatIsNotFiniteIsNamed) {
  TinyGguf gguf(TinyDecoder("llama"), "llama");
  std::string& bytes = gguf.tensors["blk.1.ffn_down.weight"].bytes;
  bytes.replace(4 * 60, 4, floats_bytes({NAN}));
  EXPECT_EQ(load_error(gguf), "tensor 'blk.1.ffn_down.weight': expected finite values, found nan at 60");
}

// Queries lie by pairs in the file: the place is the file's.
TEST(DecoderGguf, WeightOfAStackedPartIsNamedByItsOwnTensorAndPlace) {
  for (const char* name :
       {"blk.0.attn_q.weight", "blk.0.attn_k.weight", "blk.0.attn_v.weight", "blk.0.ffn_up.weight"}) {
    for (const int64_t place : {0, 37, 511}) {
      TinyGguf gguf(TinyDecoder("llama"), "llama");
      gguf.tensors[name].bytes.replace(static_cast<size_t>(4 * place), 4, floats_bytes({INFINITY}));
      EXPECT_EQ(load_error(gguf),
                "tensor '" + std::string(name) + "': expected finite values, found inf at " + std::to_string(place));
    }
  }
}

TEST(DecoderGguf, FileThatIsCutShortIsNamed) {
  const TinyGguf gguf(TinyDecoder("llama"), "llama");
  gguf.write();
  const std::string whole = read_text(gguf.path());
  for (const size_t size : {whole.size() - 64, whole.size() / 2, size_t{100}, size_t{3}}) {
    write_text(gguf.path(), whole.substr(0, size));
    const std::string error = thrown<FormatError>([&] { Decoder::load(gguf.path()); });
    EXPECT_TRUE(error.starts_with(gguf.path().string() + ": ")) << error;
  }
}

TEST(DecoderGguf, EndsTemplateAndMissingTokenizer) {
  TinyGguf gguf(TinyDecoder("llama"), "llama");
  EXPECT_TRUE(gguf.load().end_ids().empty());
  EXPECT_EQ(gguf.load().chat_template(), std::nullopt);
  EXPECT_EQ(thrown<FormatError>([&] { gguf.load().tokenizer(); }),
            gguf.path().string() + ": has no tokenizer; without it only ids can be run");
  gguf.set("tokenizer.ggml.eos_token_id", uint64_t{2});
  gguf.set("tokenizer.ggml.eot_token_id", uint64_t{7});
  gguf.set("tokenizer.ggml.eom_token_id", uint64_t{2});
  gguf.set("tokenizer.chat_template", "{{ messages }}");
  EXPECT_EQ(gguf.load().end_ids(), (std::vector<int32_t>{2, 7}));
  EXPECT_EQ(gguf.load().chat_template(), "{{ messages }}");
}

TEST(DecoderGguf, AFileIsKnownByItsFirstBytesWhateverItsName) {
  const TinyDecoder folder("llama");
  const TinyGguf gguf(folder, "llama");
  gguf.write();
  for (const auto& [name, called] : {std::pair("TINY.GGUF", "TINY"), std::pair("llama-3.1", "llama-3.1")}) {
    const auto path = folder.path() / name;
    std::filesystem::copy(gguf.path(), path);
    EXPECT_TRUE(Decoder::recognises(path));
    EXPECT_EQ(Decoder::load(path).config().name, called);
  }
  EXPECT_FALSE(GgufFile::recognises(folder.weights()));
  EXPECT_FALSE(GgufFile::recognises(folder.path()));
}

TEST(DecoderGguf, FilesAreRecognisedFromTheirMetadata) {
  TinyGguf gguf(TinyDecoder("llama"), "llama");
  gguf.write();
  EXPECT_TRUE(Decoder::recognises(gguf.path()));
  gguf.set("general.architecture", "bert");
  gguf.write();
  EXPECT_FALSE(Decoder::recognises(gguf.path()));
}

}  // namespace
}  // namespace limelight::testing
