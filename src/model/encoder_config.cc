// Fields that change the computation are obeyed or refused by name; the rest of config.json is for training.
#include "model/encoder_config.h"

#include <string>

#include "model/model_config.h"

namespace limelight::detail {
namespace {

namespace fs = std::filesystem;

// What the fields are called.
struct Keys {
  const char *layers, *hidden, *intermediate, *heads, *activation;
};
constexpr Keys kBertKeys = {"num_hidden_layers", "hidden_size", "intermediate_size", "num_attention_heads",
                            "hidden_act"};
constexpr Keys kDistilBertKeys = {"n_layers", "dim", "hidden_dim", "n_heads", "activation"};

void read_sizes(const JsonField& root, const Keys& keys, EncoderPlan& plan) {
  EncoderConfig& config = plan.config;
  config.layers = root[keys.layers].as_integer(1, kMaxLayers);
  config.hidden = root[keys.hidden].as_integer(1, kMaxChannels);
  config.intermediate = root[keys.intermediate].as_integer(1, kMaxChannels);
  config.vocabulary = root["vocab_size"].as_integer(1, kMaxEntries);
  config.positions = root["max_position_embeddings"].as_integer(1, kMaxEntries);
  const JsonField heads = root[keys.heads];
  config.heads = heads.as_integer(1, config.hidden);
  if (config.hidden % config.heads != 0) {
    heads.refuse("a divisor of " + std::string(keys.hidden) + " " + std::to_string(config.hidden));
  }
  plan.activation = read_gelu(root[keys.activation]);
}

void read_padding(const JsonField& root, EncoderPlan& plan) {
  const auto field = root.find("pad_token_id");
  const int64_t padding = field ? field->as_integer(0, kMaxEntries) : 1;
  plan.padding_id = static_cast<int32_t>(padding);
  plan.config.positions = root["max_position_embeddings"].as_integer(padding + 2, kMaxEntries) - plan.first_position();
}

}  // namespace

bool is_encoder_type(std::string_view model_type) {
  return model_type == "bert" || model_type == "distilbert" || model_type == "roberta";
}

EncoderPlan read_encoder_plan(const fs::path& folder) {
  const JsonFile file(folder / "config.json");
  const JsonField root = file.root();
  const JsonField type = root["model_type"];
  const std::string& architecture = type.as_string();
  const bool distilbert = architecture == "distilbert", roberta = architecture == "roberta";
  if (!is_encoder_type(architecture)) type.refuse(kEncoderTypes);
  root.expect("position_embedding_type", "absolute");
  for (const char* key : {"is_decoder", "add_cross_attention"}) {
    if (root.flag(key)) root[key].refuse("false: only encoders are read");
  }

  EncoderPlan plan;
  plan.config.name = name_of(folder);
  plan.config.architecture = architecture;
  read_sizes(root, distilbert ? kDistilBertKeys : kBertKeys, plan);
  plan.config.layer_norm_epsilon = distilbert ? 1e-12f : read_epsilon(root["layer_norm_eps"]);
  if (!distilbert) plan.token_types = root["type_vocab_size"].as_integer(1, kMaxEntries);
  if (roberta) read_padding(root, plan);
  return plan;
}

}  // namespace limelight::detail
