// Names and layouts of GGUF files.
#include "tests/model/tiny_gguf.h"

#include <bit>
#include <utility>

namespace limelight::testing {
namespace {

const std::map<std::string, std::string> kNames = {{"embed_tokens", "token_embd"},
                                                   {"wte", "token_embd"},
                                                   {"wpe", "position_embd"},
                                                   {"norm", "output_norm"},
                                                   {"ln_f", "output_norm"},
                                                   {"lm_head", "output"},
                                                   {"input_layernorm", "attn_norm"},
                                                   {"ln_1", "attn_norm"},
                                                   {"self_attn.q_proj", "attn_q"},
                                                   {"self_attn.k_proj", "attn_k"},
                                                   {"self_attn.v_proj", "attn_v"},
                                                   {"self_attn.o_proj", "attn_output"},
                                                   {"attn.c_attn", "attn_qkv"},
                                                   {"attn.c_proj", "attn_output"},
                                                   {"mlp.gate_proj", "ffn_gate"},
                                                   {"mlp.up_proj", "ffn_up"},
                                                   {"mlp.down_proj", "ffn_down"},
                                                   {"post_attention_layernorm", "ffn_norm"},
                                                   {"ln_2", "ffn_norm"},
                                                   {"mlp.c_fc", "ffn_up"},
                                                   {"mlp.c_proj", "ffn_down"}};

// "model.layers.1.mlp.up_proj.weight" -> "blk.1.ffn_up.weight"
std::string gguf_name(std::string name) {
  for (const std::string root : {"model.", "transformer."}) {
    if (name.starts_with(root)) name = name.substr(root.size());
  }
  std::string layer;
  for (const std::string start : {"layers.", "h."}) {
    if (!name.starts_with(start)) continue;
    const size_t dot = name.find('.', start.size());
    layer = "blk." + name.substr(start.size(), dot - start.size()) + ".";
    name = name.substr(dot + 1);
  }
  const size_t dot = name.rfind('.');
  return layer + kNames.at(name.substr(0, dot)) + name.substr(dot);
}

// Rows a half and its other half apart go beside each other.
std::vector<float> by_pairs(const std::vector<float>& values, int64_t rows, int64_t head_size) {
  const auto width = static_cast<int64_t>(values.size()) / rows, half = head_size / 2;
  std::vector<float> moved(values.size());
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t c = r % head_size, to = r - c + 2 * (c % half) + c / half;
    std::copy_n(values.begin() + r * width, width, moved.begin() + to * width);
  }
  return moved;
}

std::vector<float> transposed(const std::vector<float>& values, int64_t rows, int64_t columns) {
  std::vector<float> moved(values.size());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      moved[static_cast<size_t>(c * rows + r)] = values[static_cast<size_t>(r * columns + c)];
    }
  }
  return moved;
}

}  // namespace

TinyGguf::TinyGguf(const TinyDecoder& model, const std::string& architecture) {
  const Decoder decoder = model.load();
  describe(decoder, architecture);
  for (const auto& entry : model.entries()) add(entry, architecture, decoder.config().head_size);
}

void TinyGguf::describe(const Decoder& decoder, const std::string& architecture) {
  const DecoderConfig& config = decoder.config();
  const auto number = [&](const std::string& key, int64_t value) {
    set(architecture + "." + key, static_cast<uint64_t>(value));
  };
  set("general.architecture", architecture);
  number("block_count", config.layers);
  number("context_length", config.positions);
  number("embedding_length", config.hidden);
  number("feed_forward_length", config.intermediate);
  number("attention.head_count", config.heads);
  if (architecture == "gpt2") {
    set("gpt2.attention.layer_norm_epsilon", config.norm_epsilon);
    return;
  }
  number("attention.head_count_kv", config.groups);
  number("attention.key_length", config.head_size);
  number("attention.value_length", config.head_size);
  number("rope.dimension_count", config.head_size);
  set(architecture + ".attention.layer_norm_rms_epsilon", config.norm_epsilon);
  set(architecture + ".rope.freq_base", 10000.0f);
}

void TinyGguf::add(const TinyDecoder::Entry& entry, const std::string& architecture, int64_t head_size) {
  const std::string name = gguf_name(entry.name);
  std::vector<float> values = entry.values;
  std::vector<int64_t> shape = entry.shape;
  const bool turned = name.find("attn_q.") != name.npos || name.find("attn_k.") != name.npos;
  if (architecture == "llama" && turned) values = by_pairs(values, shape[0], head_size);
  if (architecture == "gpt2" && name.starts_with("blk.") && shape.size() == 2) {
    values = transposed(values, shape[0], shape[1]);
    std::swap(shape[0], shape[1]);
  }
  tensors[name] = {shape, kF32Id,
                   std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float))};
}

void TinyGguf::set(const std::string& key, float number) {
  metadata[key] = entry(key, GgufType::kF32, u32(std::bit_cast<uint32_t>(number)));
}

void TinyGguf::write() const {
  GgufText text;
  for (const auto& [key, bytes] : metadata) text.metadata.push_back(bytes);
  for (const auto& [name, tensor] : tensors) {
    const std::vector<uint64_t> sizes(tensor.shape.rbegin(), tensor.shape.rend());
    text.tensors.push_back(tensor_entry(name, sizes, tensor.type, text.data.size()));
    text.data += padded(tensor.bytes);
  }
  write_text(path(), text.bytes());
}

Decoder TinyGguf::load() const {
  write();
  return Decoder::load(path());
}

}  // namespace limelight::testing
