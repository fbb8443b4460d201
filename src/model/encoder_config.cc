// Fields that change the computation are obeyed or refused by name; the rest of config.json is for training.
#include "model/encoder_config.h"

#include <system_error>

#include "model/json_field.h"

namespace limelight::detail {
namespace {

namespace fs = std::filesystem;

// Far above every published encoder, low enough that products of two stay in 64 bits and sizes in a file's reach.
constexpr int64_t kMaxLayers = 1024;
constexpr int64_t kMaxChannels = int64_t{1} << 20;
constexpr int64_t kMaxEntries = int64_t{1} << 28;

Gelu read_activation(const JsonField& field) {
  const std::string& name = field.as_string();
  if (name == "gelu") return Gelu::kErf;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Gelu::kTanh;
  field.refuse("\"gelu\", \"gelu_new\" or \"gelu_pytorch_tanh\"");
}

// A field that may be absent, but not say anything else.
void expect(const JsonField& root, const char* key, const char* value) {
  const auto field = root.find(key);
  if (field && field->as_string() != value) field->refuse("\"" + std::string(value) + "\"");
}

void expect_false(const JsonField& root, const char* key) {
  const auto field = root.find(key);
  if (field && field->as_bool()) field->refuse("false: only encoders are read");
}

// Of the folder itself, also where the path ends in a slash or "..".
std::string name_of(const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::canonical(folder, error);
  return (error ? folder : whole).filename().string();
}

}  // namespace

EncoderPlan read_encoder_plan(const fs::path& folder) {
  const JsonFile file(folder / "config.json");
  const JsonField root = file.root();
  const JsonField type = root["model_type"];
  if (type.as_string() != "bert") type.refuse("\"bert\"");
  expect(root, "position_embedding_type", "absolute");
  expect_false(root, "is_decoder");
  expect_false(root, "add_cross_attention");

  EncoderPlan plan;
  EncoderConfig& config = plan.config;
  config.name = name_of(folder);
  config.layers = root["num_hidden_layers"].as_integer(1, kMaxLayers);
  config.hidden = root["hidden_size"].as_integer(1, kMaxChannels);
  config.intermediate = root["intermediate_size"].as_integer(1, kMaxChannels);
  config.vocabulary = root["vocab_size"].as_integer(1, kMaxEntries);
  config.positions = root["max_position_embeddings"].as_integer(1, kMaxEntries);
  const JsonField heads = root["num_attention_heads"];
  config.heads = heads.as_integer(1, config.hidden);
  if (config.hidden % config.heads != 0) {
    heads.refuse("a divisor of hidden_size " + std::to_string(config.hidden));
  }
  const JsonField epsilon = root["layer_norm_eps"];
  config.layer_norm_epsilon = static_cast<float>(epsilon.as_number());
  if (!(config.layer_norm_epsilon > 0 && config.layer_norm_epsilon < 1)) epsilon.refuse("a number between 0 and 1");
  plan.token_types = root["type_vocab_size"].as_integer(1, kMaxEntries);
  plan.activation = read_activation(root["hidden_act"]);
  return plan;
}

}  // namespace limelight::detail
