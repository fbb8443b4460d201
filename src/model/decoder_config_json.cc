// config.json of GPT-2, Llama, Qwen2 and Mistral. Defaults are those of the files' own library, transformers.
#include <algorithm>

#include "core/error.h"
#include "model/decoder_plan.h"
#include "model/json_field.h"
#include "model/mapped_file.h"
#include "model/model_config.h"
#include "model/rope_scaling.h"
#include "model/utf8.h"

namespace limelight::detail {
namespace {

namespace fs = std::filesystem;

// hidden / heads where it is a whole number; `heads` is the field that does not divide.
int64_t head_size(const JsonField& heads, const char* hidden_key, const DecoderConfig& config) {
  if (config.hidden % config.heads != 0) {
    heads.refuse("a divisor of " + std::string(hidden_key) + " " + std::to_string(config.hidden));
  }
  return config.hidden / config.heads;
}

void read_gpt2(const JsonField& root, DecoderPlan& plan) {
  DecoderConfig& config = plan.config;
  config.layers = root["n_layer"].as_integer(1, kMaxLayers);
  config.hidden = root["n_embd"].as_integer(1, kMaxChannels);
  const JsonField heads = root["n_head"];
  config.heads = config.groups = heads.as_integer(1, kMaxChannels);
  config.head_size = head_size(heads, "n_embd", config);
  const auto inner = root.find("n_inner");
  config.intermediate = inner ? inner->as_integer(1, kMaxChannels) : 4 * config.hidden;
  config.positions = root["n_positions"].as_integer(1, kMaxEntries);
  config.norm_epsilon = read_epsilon(root["layer_norm_epsilon"]);
  root.expect("scale_attn_weights", true);
  root.expect("scale_attn_by_inverse_layer_idx", false);
  root.expect("add_cross_attention", false);
  plan.activation = read_gelu(root["activation_function"]);
  plan.gated = false;
  plan.query_key_value_bias = plan.attention_output_bias = plan.feed_forward_bias = true;
  plan.tied = root.flag("tie_word_embeddings", true);
}

Llama3Scaling llama3_scaling(const JsonField& scaling) {
  Llama3Scaling read{above_zero(scaling["factor"]), above_zero(scaling["low_freq_factor"]),
                     above_zero(scaling["high_freq_factor"]), above_zero(scaling["original_max_position_embeddings"])};
  if (read.high <= read.low) scaling["high_freq_factor"].refuse("more than low_freq_factor");
  return read;
}

std::vector<double> frequencies_of(const std::optional<JsonField>& scaling, double theta, int64_t depth) {
  std::vector<double> frequencies = rope_frequencies(depth, theta);
  if (!scaling) return frequencies;
  if (const auto share = scaling->find("partial_rotary_factor"); share && share->as_number() != 1) share->refuse("1");
  const auto old_name = scaling->find("type");
  const JsonField type = old_name && !scaling->find("rope_type") ? *old_name : (*scaling)["rope_type"];
  if (type.as_string() == "linear") {
    scale_linearly(frequencies, above_zero((*scaling)["factor"]));
  } else if (type.as_string() == "llama3") {
    scale_like_llama3(frequencies, llama3_scaling(*scaling));
  } else if (type.as_string() != "default") {
    type.refuse("\"default\", \"linear\" or \"llama3\"");
  }
  return frequencies;
}

// rope_parameters (transformers 5) holds what rope_theta and rope_scaling held before it; both may be there.
std::vector<double> read_frequencies(const JsonField& root, int64_t depth) {
  const auto parameters = root.find("rope_parameters"), old_scaling = root.find("rope_scaling");
  const auto old_theta = root.find("rope_theta");
  auto theta = parameters ? parameters->find("rope_theta") : std::nullopt;
  if (!theta) theta = old_theta;
  const double base = theta ? above_zero(*theta) : 10000;
  const std::vector<double> frequencies = frequencies_of(parameters ? parameters : old_scaling, base, depth);
  const char* same = "what rope_parameters says, or nothing";
  if (old_theta && old_theta->as_number() != base) old_theta->refuse(same);
  if (old_scaling && frequencies_of(old_scaling, base, depth) != frequencies) old_scaling->refuse(same);
  return frequencies;
}

// Mistral's window holds in all layers, Qwen2's where it is switched on, from layer max_window_layers up.
std::vector<int64_t> read_windows(const JsonField& root, const DecoderConfig& config) {
  std::vector<int64_t> windows(static_cast<size_t>(config.layers), -1);
  const auto size = root.find("sliding_window");
  const bool qwen2 = config.architecture == "qwen2";
  if (!size || config.architecture == "llama" || (qwen2 && !root.flag("use_sliding_window"))) return windows;
  const int64_t window = size->as_integer(1, kMaxEntries);
  const auto types = root.find("layer_types");
  if (!types) {
    const int64_t first = qwen2 ? root["max_window_layers"].as_integer(0, kMaxEntries) : 0;
    for (int64_t layer = first; layer < config.layers; ++layer) windows[static_cast<size_t>(layer)] = window;
    return windows;
  }
  size_t layer = 0;
  types->each([&](const JsonField& type) {
    const bool sliding = type.as_string() == "sliding_attention";
    if (!sliding && type.as_string() != "full_attention") type.refuse("\"full_attention\" or \"sliding_attention\"");
    if (layer < windows.size() && sliding) windows[layer] = window;
    ++layer;
  });
  if (layer != windows.size()) types->refuse("as many as num_hidden_layers " + std::to_string(config.layers));
  return windows;
}

void read_biases(const JsonField& root, DecoderPlan& plan) {
  plan.query_key_value_bias = plan.config.architecture == "qwen2";
  if (plan.config.architecture != "llama") return;
  plan.query_key_value_bias = plan.attention_output_bias = root.flag("attention_bias");
  plan.feed_forward_bias = root.flag("mlp_bias");
}

void read_llama(const JsonField& root, DecoderPlan& plan) {
  DecoderConfig& config = plan.config;
  config.layers = root["num_hidden_layers"].as_integer(1, kMaxLayers);
  config.hidden = root["hidden_size"].as_integer(1, kMaxChannels);
  config.intermediate = root["intermediate_size"].as_integer(1, kMaxChannels);
  config.positions = root["max_position_embeddings"].as_integer(1, kMaxEntries);
  config.norm_epsilon = read_epsilon(root["rms_norm_eps"]);
  const JsonField heads = root["num_attention_heads"];
  config.heads = heads.as_integer(1, kMaxChannels);
  const auto groups = root.find("num_key_value_heads");
  config.groups = groups ? groups->as_integer(1, kMaxChannels) : config.heads;
  if (config.heads % config.groups != 0) {
    groups->refuse("a divisor of num_attention_heads " + std::to_string(config.heads));
  }
  const auto given = root.find("head_dim");
  config.head_size = given ? given->as_integer(1, kMaxChannels) : head_size(heads, "hidden_size", config);
  if (config.head_size % 2 != 0) (given ? *given : heads).refuse("a head size that is even, for rotary positions");
  if (const auto share = root.find("partial_rotary_factor"); share && share->as_number() != 1) share->refuse("1");
  const JsonField activation = root["hidden_act"];
  if (activation.as_string() != "silu") activation.refuse("\"silu\"");
  plan.frequencies = read_frequencies(root, config.head_size);
  plan.windows = read_windows(root, config);
  plan.tied = root.flag("tie_word_embeddings");
  read_biases(root, plan);
}

std::vector<int32_t> end_ids(const JsonField& root) {
  const auto field = root.find("eos_token_id");
  std::vector<int32_t> ids;
  const auto add = [&](const JsonField& id) { ids.push_back(static_cast<int32_t>(id.as_integer(0, kMaxEntries))); };
  if (field && field->is_array()) {
    field->each(add);
  } else if (field) {
    add(*field);
  }
  return ids;
}

// A template, or several with names, of which the one called "default".
std::optional<std::string> chat_template(const JsonField& root) {
  const auto field = root.find("chat_template");
  if (!field) return std::nullopt;
  if (!field->is_array()) return field->as_string();
  std::optional<std::string> found;
  field->each([&](const JsonField& entry) {
    if (entry["name"].as_string() == "default") found = entry["template"].as_string();
  });
  return found;
}

// The template in a file of its own, as newer folders have it.
std::optional<std::string> chat_template_file(const fs::path& path) {
  if (!is_there(path)) return std::nullopt;
  const MappedFile file(path);
  std::string text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  if (!is_utf8(text)) fail_format(path.string() + ": expected UTF-8");
  return text;
}

}  // namespace

bool is_decoder_type(std::string_view model_type) {
  return model_type == "gpt2" || model_type == "llama" || model_type == "qwen2" || model_type == "mistral";
}

DecoderPlan read_decoder_plan(const fs::path& folder) {
  const JsonFile file(folder / "config.json");
  const JsonField root = file.root();
  const JsonField type = root["model_type"];
  if (!is_decoder_type(type.as_string())) type.refuse(kDecoderTypes);
  DecoderPlan plan;
  plan.source = "config.json";
  plan.config.name = name_of(folder);
  plan.config.architecture = type.as_string();
  plan.config.vocabulary = root["vocab_size"].as_integer(1, kMaxEntries);
  root.expect("is_encoder_decoder", false);
  type.as_string() == "gpt2" ? read_gpt2(root, plan) : read_llama(root, plan);
  plan.windows.resize(static_cast<size_t>(plan.config.layers), -1);
  plan.config.window = *std::max_element(plan.windows.begin(), plan.windows.end());
  plan.end_ids = end_ids(root);
  if (const auto generation = JsonFile::find(folder / "generation_config.json")) {
    if (auto ids = end_ids(generation->root()); !ids.empty()) plan.end_ids = std::move(ids);
  }
  if (const auto text = JsonFile::find(folder / "tokenizer_config.json")) {
    plan.chat_template = chat_template(text->root());
  }
  if (auto text = chat_template_file(folder / "chat_template.jinja")) plan.chat_template = std::move(text);
  return plan;
}

}  // namespace limelight::detail
