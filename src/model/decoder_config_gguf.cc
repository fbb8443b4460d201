// GGUF metadata of the architectures llama, qwen2 and gpt2. Keys under the architecture's name change the computation,
// so those that are not known are refused too.
#include <algorithm>
#include <string>
#include <string_view>

#include "core/error.h"
#include "model/decoder_plan.h"
#include "model/model_config.h"
#include "model/quoted_name.h"
#include "model/rope_scaling.h"

namespace limelight::detail {
namespace {

// What is read below, and what says nothing that is needed.
constexpr std::string_view kKnown[] = {"block_count",
                                       "context_length",
                                       "embedding_length",
                                       "feed_forward_length",
                                       "vocab_size",
                                       "tensor_data_layout",
                                       "attention.head_count",
                                       "attention.head_count_kv",
                                       "attention.key_length",
                                       "attention.value_length",
                                       "attention.layer_norm_epsilon",
                                       "attention.layer_norm_rms_epsilon",
                                       "attention.sliding_window",
                                       "attention.causal",
                                       "expert_count",
                                       "expert_used_count",
                                       "rope.dimension_count",
                                       "rope.freq_base",
                                       "rope.scale_linear",
                                       "rope.scaling.type",
                                       "rope.scaling.factor",
                                       "rope.scaling.original_context_length",
                                       "rope.scaling.finetuned"};

// The metadata under the architecture's name.
class Keys {
 public:
  Keys(const GgufFile& file, const std::string& architecture) : file_(file), prefix_(architecture + ".") {
    for (const std::string_view key : file.keys()) {
      if (!key.starts_with(prefix_)) continue;
      if (std::find(std::begin(kKnown), std::end(kKnown), key.substr(prefix_.size())) == std::end(kKnown)) {
        fail_format(file.path().string() + ": metadata " + in_quotes(key) + ": is not supported");
      }
    }
  }

  GgufField operator[](const std::string& key) const { return file_[prefix_ + key]; }
  std::optional<GgufField> find(const std::string& key) const { return file_.find(prefix_ + key); }
  // A value that may be absent, but not be another.
  void expect(const std::string& key, int64_t value) const {
    const auto field = find(key);
    if (field && field->as_integer(INT64_MIN, INT64_MAX) != value) field->refuse(std::to_string(value));
  }

 private:
  const GgufFile& file_;
  std::string prefix_;
};

void read_heads(const Keys& keys, DecoderConfig& config) {
  const GgufField heads = keys["attention.head_count"];
  config.heads = heads.as_integer(1, kMaxChannels);
  const auto groups = keys.find("attention.head_count_kv");
  config.groups = groups ? groups->as_integer(1, kMaxChannels) : config.heads;
  if (config.heads % config.groups != 0) {
    groups->refuse("a divisor of attention.head_count " + std::to_string(config.heads));
  }
  if (const auto given = keys.find("attention.key_length")) {
    config.head_size = given->as_integer(1, kMaxChannels);
  } else if (config.hidden % config.heads == 0) {
    config.head_size = config.hidden / config.heads;
  } else {
    heads.refuse("a divisor of embedding_length " + std::to_string(config.hidden));
  }
  keys.expect("attention.value_length", config.head_size);
  if (config.head_size % 2 != 0 && config.architecture != "gpt2") {
    heads.refuse("heads of an even size, for rotary positions");
  }
}

std::vector<double> read_frequencies(const Keys& keys, int64_t depth) {
  keys.expect("rope.dimension_count", depth);
  const auto base = keys.find("rope.freq_base");
  std::vector<double> frequencies = rope_frequencies(depth, base ? above_zero(*base) : 10000);
  const auto type = keys.find("rope.scaling.type");
  auto factor = keys.find("rope.scaling.factor");
  if (!type) factor = keys.find("rope.scale_linear");
  if (type && type->as_text() != "none" && type->as_text() != "linear") type->refuse("'none' or 'linear'");
  if (factor && (!type || type->as_text() == "linear")) scale_linearly(frequencies, above_zero(*factor));
  return frequencies;
}

void read_rotary(const Keys& keys, DecoderPlan& plan) {
  DecoderConfig& config = plan.config;
  plan.frequencies = read_frequencies(keys, config.head_size);
  const auto window = keys.find("attention.sliding_window");
  // Which layers of Qwen2 it holds for is not told.
  if (window && config.architecture == "qwen2") keys.expect("attention.sliding_window", 0);
  if (window) config.window = window->as_integer(0, kMaxEntries) == 0 ? -1 : window->as_integer(0, kMaxEntries);
}

void read_end_ids(const GgufFile& file, DecoderPlan& plan) {
  for (const char* name : {"eos", "eot", "eom"}) {
    const auto field = file.find("tokenizer.ggml." + std::string(name) + "_token_id");
    if (!field) continue;
    const auto id = static_cast<int32_t>(field->as_integer(0, INT32_MAX));
    if (std::find(plan.end_ids.begin(), plan.end_ids.end(), id) == plan.end_ids.end()) plan.end_ids.push_back(id);
  }
}

// Only the tensors tell: the embedding's rows, an output matrix of its own, biases.
void read_from_tensors(const GgufFile& file, const Keys& keys, DecoderPlan& plan) {
  const GgufTensor* pieces = file.find_tensor("token_embd.weight");
  if (pieces == nullptr) fail_format(file.path().string() + ": tensor 'token_embd.weight': is missing");
  if (pieces->shape.size() != 2 || pieces->shape[0] == 0) {
    fail_format(file.path().string() + ": tensor 'token_embd.weight' shape: expected pieces times channels, found " +
                pieces->shape_text());
  }
  plan.config.vocabulary = pieces->shape[0];
  keys.expect("vocab_size", plan.config.vocabulary);
  plan.tied = file.find_tensor("output.weight") == nullptr;
  const auto has = [&](const char* name) { return file.find_tensor("blk.0." + std::string(name)) != nullptr; };
  plan.query_key_value_bias = !plan.gated || plan.config.architecture == "qwen2" || has("attn_q.bias");
  plan.attention_output_bias = !plan.gated || has("attn_output.bias");
  plan.feed_forward_bias = !plan.gated || has("ffn_up.bias");
}

}  // namespace

bool is_gguf_decoder(std::string_view architecture) {
  return architecture == "llama" || architecture == "qwen2" || architecture == "gpt2";
}

DecoderPlan read_decoder_plan(const GgufFile& file) {
  const GgufField architecture = file["general.architecture"];
  if (!is_gguf_decoder(architecture.as_text())) architecture.refuse("'llama', 'qwen2' or 'gpt2'");
  DecoderPlan plan;
  DecoderConfig& config = plan.config;
  plan.from_gguf = true;
  plan.source = "the metadata";
  const std::filesystem::path called = name_of(file.path());
  const bool suffixed = called.extension() == ".gguf" || called.extension() == ".GGUF";
  config.name = (suffixed ? called.stem() : called).string();
  config.architecture = architecture.as_text();
  plan.gated = config.architecture != "gpt2";
  const Keys keys(file, config.architecture);
  keys.expect("expert_count", 0);
  if (const auto causal = keys.find("attention.causal"); causal && !causal->as_bool()) causal->refuse("true");
  config.layers = keys["block_count"].as_integer(1, kMaxLayers);
  config.hidden = keys["embedding_length"].as_integer(1, kMaxChannels);
  config.intermediate = keys["feed_forward_length"].as_integer(1, kMaxChannels);
  config.positions = keys["context_length"].as_integer(1, kMaxEntries);
  config.norm_epsilon =
      read_epsilon(keys[plan.gated ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon"]);
  read_heads(keys, config);
  if (plan.gated) read_rotary(keys, plan);
  plan.windows.assign(static_cast<size_t>(config.layers), config.window);
  read_from_tensors(file, keys, plan);
  read_end_ids(file, plan);
  if (const auto text = file.find("tokenizer.chat_template")) plan.chat_template = text->as_text();
  return plan;
}

}  // namespace limelight::detail
