// config.json: every field that changes the computation is obeyed or refused, by file and field.
#include "model/encoder_config.h"

#include <gtest/gtest.h>

#include "limelight/error.h"
#include "tests/model/thrown.h"
#include "tests/model/tiny_bert.h"

namespace limelight::testing {
namespace {

using nlohmann::json;

// The message of a config with this edit, less the path in front.
template <class Error = FormatError>
std::string error_of(const std::function<void(json&)>& edit) {
  const TinyBert bert;
  bert.edit_config(edit);
  const std::string error = thrown<Error>([&] { detail::read_encoder_plan(bert.path()); });
  const std::string start = bert.config() + ": ";
  return error.starts_with(start) ? error.substr(start.size()) : error;
}

std::string error_with(const std::string& key, const json& value) {
  return error_of([&](json& config) { config[key] = value; });
}

TEST(EncoderConfig, FieldsAreReadAsWritten) {
  const TinyBert bert;
  const auto plan = detail::read_encoder_plan(bert.path());
  EXPECT_EQ(plan.config.name, bert.path().filename());
  EXPECT_EQ(plan.config.architecture, "bert");
  EXPECT_EQ(plan.config.layers, 2);
  EXPECT_EQ(plan.config.heads, 4);
  EXPECT_EQ(plan.config.hidden, 32);
  EXPECT_EQ(plan.config.intermediate, 64);
  EXPECT_EQ(plan.config.vocabulary, 96);
  EXPECT_EQ(plan.config.positions, 40);
  EXPECT_EQ(plan.config.layer_norm_epsilon, 1e-12f);
  EXPECT_EQ(plan.token_types, 2);
  EXPECT_EQ(plan.activation, Gelu::kErf);
  EXPECT_EQ(detail::read_encoder_plan(bert.path() / "").config.name, bert.path().filename());
}

TEST(EncoderConfig, SizesAreWholePositiveAndPossible) {
  const std::pair<const char*, const char*> sizes[] = {
      {"num_hidden_layers", "1024"}, {"hidden_size", "1048576"},       {"intermediate_size", "1048576"},
      {"vocab_size", "268435456"},   {"type_vocab_size", "268435456"}, {"max_position_embeddings", "268435456"},
      {"num_attention_heads", "32"}};
  for (const auto& [key, high] : sizes) {
    const std::string expected = std::string(key) + ": expected an integer from 1 to " + high + ", found ";
    EXPECT_EQ(error_with(key, 0), expected + "0");
    EXPECT_EQ(error_with(key, -4), expected + "-4");
    EXPECT_EQ(error_with(key, 4.5), expected + "4.5");
    EXPECT_EQ(error_with(key, "4"), expected + "\"4\"");
    EXPECT_EQ(error_with(key, nullptr), expected + "null");
    EXPECT_EQ(error_with(key, json::array({4})), expected + "an array");
    EXPECT_EQ(error_with(key, INT64_MAX), expected + "9223372036854775807");
    EXPECT_EQ(error_with(key, UINT64_MAX), expected + "18446744073709551615");
  }
}

TEST(EncoderConfig, HeadsDivideTheHiddenSize) {
  EXPECT_EQ(error_with("num_attention_heads", 7), "num_attention_heads: expected a divisor of hidden_size 32, found 7");
}

TEST(EncoderConfig, EpsilonIsASmallPositiveNumber) {
  const std::string expected = "layer_norm_eps: expected a number between 0 and 1, found ";
  EXPECT_EQ(error_with("layer_norm_eps", 0), expected + "0");
  EXPECT_EQ(error_with("layer_norm_eps", -1e-12), expected + "-1e-12");
  EXPECT_EQ(error_with("layer_norm_eps", 1e-60), expected + "1e-60");  // 0 as a float
  EXPECT_EQ(error_with("layer_norm_eps", 1), expected + "1");
  EXPECT_EQ(error_with("layer_norm_eps", "1e-12"), "layer_norm_eps: expected a number, found \"1e-12\"");
}

TEST(EncoderConfig, ActivationsAreToldApart) {
  const auto activation = [](const char* name) {
    const TinyBert bert;
    bert.edit_config([&](json& config) { config["hidden_act"] = name; });
    return detail::read_encoder_plan(bert.path()).activation;
  };
  EXPECT_EQ(activation("gelu"), Gelu::kErf);
  EXPECT_EQ(activation("gelu_new"), Gelu::kTanh);
  EXPECT_EQ(activation("gelu_pytorch_tanh"), Gelu::kTanh);
  const std::string expected = "hidden_act: expected \"gelu\", \"gelu_new\" or \"gelu_pytorch_tanh\", found ";
  EXPECT_EQ(error_with("hidden_act", "relu"), expected + "\"relu\"");
  EXPECT_EQ(error_with("hidden_act", "GELU"), expected + "\"GELU\"");
}

TEST(EncoderConfig, OtherArchitecturesAreRefusedByName) {
  EXPECT_EQ(error_with("model_type", "electra"),
            "model_type: expected \"bert\", \"distilbert\" or \"roberta\", found \"electra\"");
  EXPECT_EQ(error_with("model_type", 3), "model_type: expected a string, found 3");
  EXPECT_EQ(error_with("position_embedding_type", "relative_key"),
            "position_embedding_type: expected \"absolute\", found \"relative_key\"");
  EXPECT_EQ(error_with("position_embedding_type", "absolute"), "(nothing was thrown)");
  EXPECT_EQ(error_with("is_decoder", true), "is_decoder: expected false: only encoders are read, found true");
  EXPECT_EQ(error_with("add_cross_attention", true),
            "add_cross_attention: expected false: only encoders are read, found true");
}

TEST(EncoderConfig, FileThatIsNotJsonIsNamed) {
  const TinyBert bert;
  const auto error = [&](const std::string& text) {
    write_text(bert.config(), text);
    return thrown<FormatError>([&] { detail::read_encoder_plan(bert.path()); });
  };
  for (const char* text : {"", "{", "[]", "{} x", "\"\xff\""}) {
    EXPECT_TRUE(error(text).starts_with(bert.config() + ": ")) << error(text);
  }
  std::filesystem::remove(bert.config());
  EXPECT_TRUE(thrown<FileError>([&] { detail::read_encoder_plan(bert.path()); }).starts_with(bert.config() + ": "));
}

}  // namespace
}  // namespace limelight::testing
