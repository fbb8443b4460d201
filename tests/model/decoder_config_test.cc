// config.json of decoders: every field that changes the computation is obeyed or refused, by file and field.
#include <gtest/gtest.h>

#include "limelight/error.h"
#include "model/decoder_plan.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_decoder.h"

namespace limelight::testing {
namespace {

using detail::DecoderPlan;
using nlohmann::json;
using Edit = std::function<void(json&)>;

DecoderPlan plan_of(const char* name, const Edit& edit) {
  const TinyDecoder tiny(name);
  tiny.edit_config(edit);
  return detail::read_decoder_plan(tiny.path());
}

// The message of a config with this edit, less the path in front.
std::string error_of(const char* name, const Edit& edit) {
  const TinyDecoder tiny(name);
  tiny.edit_config(edit);
  const std::string error = thrown<FormatError>([&] { detail::read_decoder_plan(tiny.path()); });
  const std::string start = tiny.config() + ": ";
  return error.starts_with(start) ? error.substr(start.size()) : error;
}

Edit set(const std::string& key, const json& value) {
  return [=](json& config) { config[key] = value; };
}

TEST(DecoderConfig, FieldsAreReadAsWritten) {
  const DecoderPlan llama = plan_of("llama_scaled", [](json&) {});
  EXPECT_EQ(llama.config.architecture, "llama");
  EXPECT_EQ(llama.config.layers, 2);
  EXPECT_EQ(llama.config.heads, 2);
  EXPECT_EQ(llama.config.groups, 1);
  EXPECT_EQ(llama.config.head_size, 24);
  EXPECT_EQ(llama.config.hidden, 32);
  EXPECT_EQ(llama.config.intermediate, 56);
  EXPECT_EQ(llama.config.vocabulary, 96);
  EXPECT_EQ(llama.config.positions, 64);
  EXPECT_EQ(llama.config.window, -1);
  EXPECT_EQ(llama.config.norm_epsilon, 1e-6f);
  EXPECT_TRUE(llama.tied);
  EXPECT_EQ(llama.end_ids, std::vector<int32_t>{2});
  const DecoderPlan gpt2 = plan_of("gpt2", [](json&) {});
  EXPECT_EQ(gpt2.config.groups, 4);
  EXPECT_EQ(gpt2.config.head_size, 8);
  EXPECT_EQ(gpt2.config.intermediate, 4 * 32);
  EXPECT_EQ(gpt2.config.positions, 40);
  EXPECT_EQ(gpt2.activation, Gelu::kTanh);
  EXPECT_EQ(plan_of("gpt2", set("n_inner", 100)).config.intermediate, 100);
  EXPECT_EQ(plan_of("gpt2", set("activation_function", "gelu")).activation, Gelu::kErf);
}

TEST(DecoderConfig, MissingFieldIsNamed) {
  for (const std::string key : {"model_type", "vocab_size", "num_hidden_layers", "hidden_size", "intermediate_size",
                                "max_position_embeddings", "rms_norm_eps", "num_attention_heads", "hidden_act"}) {
    EXPECT_EQ(error_of("llama", [&](json& config) { config.erase(key); }), key + ": is missing");
  }
  for (const std::string key :
       {"n_layer", "n_embd", "n_head", "n_positions", "layer_norm_epsilon", "activation_function"}) {
    EXPECT_EQ(error_of("gpt2", [&](json& config) { config.erase(key); }), key + ": is missing");
  }
}

// A head size that is given wins; absent or null it is hidden / heads, if that is a whole number.
TEST(DecoderConfig, HeadSizeIsGivenOrDerivedNeverGuessed) {
  const auto sizes = [](int64_t hidden, int64_t heads, const json& head_dim) {
    return [=](json& config) {
      config["hidden_size"] = hidden;
      config["num_attention_heads"] = heads;
      config["num_key_value_heads"] = nullptr;
      config["head_dim"] = head_dim;
    };
  };
  EXPECT_EQ(plan_of("llama", sizes(2560, 32, 128)).config.head_size, 128);
  EXPECT_EQ(plan_of("llama", sizes(1792, 24, 64)).config.head_size, 64);
  EXPECT_EQ(plan_of("llama", sizes(2560, 32, nullptr)).config.head_size, 80);
  EXPECT_EQ(plan_of("llama", sizes(2560, 32, nullptr)).config.groups, 32);
  EXPECT_EQ(error_of("llama", sizes(4096, 7, nullptr)),
            "num_attention_heads: expected a divisor of hidden_size 4096, found 7");
  EXPECT_EQ(error_of("llama", sizes(4096, 0, nullptr)),
            "num_attention_heads: expected an integer from 1 to 1048576, found 0");
  EXPECT_EQ(error_of("llama", sizes(64, 4, 5)),
            "head_dim: expected a head size that is even, for rotary positions, found 5");
  EXPECT_EQ(error_of("llama", set("num_key_value_heads", 3)),
            "num_key_value_heads: expected a divisor of num_attention_heads 4, found 3");
  EXPECT_EQ(error_of("gpt2", set("n_head", 5)), "n_head: expected a divisor of n_embd 32, found 5");
}

TEST(DecoderConfig, RotaryScalingIsObeyedInBothSpellings) {
  const auto plain = plan_of("llama", [](json&) {}).frequencies;
  ASSERT_EQ(plain.size(), 4u);
  const auto old = [](const json& scaling) {
    return [=](json& config) {
      config.erase("rope_parameters");
      config["rope_theta"] = 10000.0;
      config["rope_scaling"] = scaling;
    };
  };
  EXPECT_EQ(plan_of("llama", old(nullptr)).frequencies, plain);
  for (const char* key : {"type", "rope_type"}) {
    const auto linear = plan_of("llama", old({{key, "linear"}, {"factor", 4.0}})).frequencies;
    for (size_t c = 0; c < 4; ++c) EXPECT_DOUBLE_EQ(linear[c], plain[c] / 4);
  }
  const json llama3 = {{"rope_type", "llama3"},
                       {"factor", 8.0},
                       {"low_freq_factor", 1.0},
                       {"high_freq_factor", 4.0},
                       {"original_max_position_embeddings", 16}};
  const auto scaled = plan_of("llama_scaled", [](json&) {}).frequencies;
  EXPECT_EQ(plan_of("llama_scaled", old(llama3)).frequencies, scaled);
  EXPECT_DOUBLE_EQ(scaled.back(), rope_frequencies(24, 10000).back() / 8);
  EXPECT_EQ(plan_of("llama", old({{"rope_type", "default"}})).frequencies, plain);
}

TEST(DecoderConfig, OtherRotaryScalingIsRefusedByName) {
  const auto error = [](const json& scaling) { return error_of("llama", set("rope_parameters", scaling)); };
  const std::string expected = "expected \"default\", \"linear\" or \"llama3\", found ";
  EXPECT_EQ(error({{"rope_type", "yarn"}, {"factor", 4.0}}), "rope_parameters.rope_type: " + expected + "\"yarn\"");
  EXPECT_EQ(error({{"type", "dynamic"}}), "rope_parameters.type: " + expected + "\"dynamic\"");
  EXPECT_EQ(error({{"full_attention", {{"rope_type", "default"}}}}), "rope_parameters.rope_type: is missing");
  EXPECT_EQ(error({{"rope_type", "linear"}}), "rope_parameters.factor: is missing");
  EXPECT_EQ(error({{"rope_type", "linear"}, {"factor", 0}}),
            "rope_parameters.factor: expected a number above 0, found 0");
  EXPECT_EQ(error({{"rope_type", "default"}, {"rope_theta", -1}}),
            "rope_parameters.rope_theta: expected a number above 0, found -1");
  EXPECT_EQ(error_of("llama_scaled", [](json& config) { config["rope_parameters"]["high_freq_factor"] = 1.0; }),
            "rope_parameters.high_freq_factor: expected more than low_freq_factor, found 1.0");
  EXPECT_EQ(error_of("llama", set("partial_rotary_factor", 0.5)), "partial_rotary_factor: expected 1, found 0.5");
}

TEST(DecoderConfig, BothSpellingsOfRotaryScalingSayTheSame) {
  const auto both = [](const json& parameters, const json& scaling, double theta) {
    return [=](json& config) {
      config["rope_parameters"] = parameters;
      config["rope_scaling"] = scaling;
      config["rope_theta"] = theta;
    };
  };
  const json linear = {{"rope_type", "linear"}, {"factor", 4.0}, {"rope_theta", 500.0}};
  const json old = {{"type", "linear"}, {"factor", 4.0}};
  EXPECT_EQ(plan_of("llama", both(linear, old, 500)).frequencies, plan_of("llama", both(linear, {}, 500)).frequencies);
  const std::string expected = ": expected what rope_parameters says, or nothing, found ";
  EXPECT_EQ(error_of("llama", both(linear, {{"type", "linear"}, {"factor", 2.0}}, 500)),
            "rope_scaling" + expected + "an object");
  EXPECT_EQ(error_of("llama", both(linear, old, 10000)), "rope_theta" + expected + "10000.0");
  EXPECT_EQ(error_of("llama", both({{"rope_type", "default"}, {"partial_rotary_factor", 0.5}}, {}, 500)),
            "rope_parameters.partial_rotary_factor: expected 1, found 0.5");
}

TEST(DecoderConfig, QwensWindowHoldsWhereItIsSwitchedOn) {
  const auto windows = [](const Edit& edit) {
    return plan_of("llama",
                   [&](json& config) {
                     config["model_type"] = "qwen2";
                     config["sliding_window"] = 5;
                     config["max_window_layers"] = 1;
                     edit(config);
                   })
        .windows;
  };
  EXPECT_EQ(windows([](json&) {}), (std::vector<int64_t>{-1, -1}));
  EXPECT_EQ(windows(set("use_sliding_window", true)), (std::vector<int64_t>{-1, 5}));
  const auto typed = [](const json& types) {
    return [=](json& config) {
      config["use_sliding_window"] = true;
      config["layer_types"] = types;
    };
  };
  EXPECT_EQ(windows(typed({"sliding_attention", "full_attention"})), (std::vector<int64_t>{5, -1}));
  EXPECT_TRUE(thrown<FormatError>([&] {
                windows(typed({"full_attention"}));
              }).ends_with("layer_types: expected as many as num_hidden_layers 2, found an array"));
  EXPECT_TRUE(thrown<FormatError>([&] {
                windows(typed({"full_attention", "chunked_attention"}));
              })
                  .ends_with("layer_types[1]: expected \"full_attention\" or \"sliding_attention\", found "
                             "\"chunked_attention\""));
}

TEST(DecoderConfig, WhatIsNotBuiltIsRefusedByName) {
  EXPECT_EQ(error_of("llama", set("model_type", "phi3")),
            "model_type: expected \"gpt2\", \"llama\", \"qwen2\" or \"mistral\", found \"phi3\"");
  EXPECT_EQ(error_of("llama", set("hidden_act", "gelu")), "hidden_act: expected \"silu\", found \"gelu\"");
  EXPECT_EQ(error_of("gpt2", set("activation_function", "relu")),
            "activation_function: expected \"gelu\", \"gelu_new\" or \"gelu_pytorch_tanh\", found \"relu\"");
  EXPECT_EQ(error_of("gpt2", set("scale_attn_weights", false)), "scale_attn_weights: expected true, found false");
  EXPECT_EQ(error_of("gpt2", set("scale_attn_by_inverse_layer_idx", true)),
            "scale_attn_by_inverse_layer_idx: expected false, found true");
  EXPECT_EQ(error_of("gpt2", set("add_cross_attention", true)), "add_cross_attention: expected false, found true");
  EXPECT_EQ(error_of("llama", set("rms_norm_eps", 0)), "rms_norm_eps: expected a number between 0 and 1, found 0");
}

TEST(DecoderConfig, EndIdsComeFromGenerationConfigWhereItHasThem) {
  const TinyDecoder tiny("llama");
  const auto ends = [&] { return detail::read_decoder_plan(tiny.path()).end_ids; };
  tiny.edit_config(set("eos_token_id", {7, 8}));
  EXPECT_EQ(ends(), (std::vector<int32_t>{7, 8}));
  write_text(tiny.path() / "generation_config.json", R"({"eos_token_id": [3, 4]})");
  EXPECT_EQ(ends(), (std::vector<int32_t>{3, 4}));
  write_text(tiny.path() / "generation_config.json", R"({"eos_token_id": null})");
  EXPECT_EQ(ends(), (std::vector<int32_t>{7, 8}));
  tiny.edit_config(set("eos_token_id", nullptr));
  EXPECT_TRUE(ends().empty());
  tiny.edit_config(set("eos_token_id", "end"));
  EXPECT_THROW(ends(), FormatError);
}

TEST(DecoderConfig, ChatTemplateIsTheTextOrTheDefaultOfSeveral) {
  const TinyDecoder tiny("llama");
  const auto text = [&](const std::string& config) {
    write_text(tiny.path() / "tokenizer_config.json", config);
    return detail::read_decoder_plan(tiny.path()).chat_template;
  };
  EXPECT_EQ(detail::read_decoder_plan(tiny.path()).chat_template, std::nullopt);
  EXPECT_EQ(text("{}"), std::nullopt);
  EXPECT_EQ(text(R"({"chat_template": "{{ messages }}"})"), "{{ messages }}");
  EXPECT_EQ(text(R"({"chat_template": [{"name": "tool", "template": "a"}, {"name": "default", "template": "b"}]})"),
            "b");
}

TEST(DecoderConfig, ChatTemplateOfItsOwnFileComesFirst) {
  const TinyDecoder tiny("llama");
  const auto path = tiny.path() / "chat_template.jinja";
  write_text(path, "{{ own }}\n");
  EXPECT_EQ(detail::read_decoder_plan(tiny.path()).chat_template, "{{ own }}\n");
  write_text(tiny.path() / "tokenizer_config.json", R"({"chat_template": "{{ messages }}"})");
  EXPECT_EQ(detail::read_decoder_plan(tiny.path()).chat_template, "{{ own }}\n");
  write_text(path, "{{ \xff }}");
  EXPECT_EQ(thrown<FormatError>([&] { detail::read_decoder_plan(tiny.path()); }), path.string() + ": expected UTF-8");
}

TEST(DecoderConfig, ModelsAreRecognisedFromConfigAlone) {
  const TinyDecoder tiny("llama");
  std::filesystem::remove(tiny.weights());
  EXPECT_TRUE(Decoder::recognises(tiny.path()));
  tiny.edit_config(set("model_type", "bert"));
  EXPECT_FALSE(Decoder::recognises(tiny.path()));
  EXPECT_FALSE(Decoder::recognises(tiny.path() / "none"));
  std::filesystem::remove(tiny.config());
  EXPECT_FALSE(Decoder::recognises(tiny.path()));
}

}  // namespace
}  // namespace limelight::testing
