// The names that published files use.
#include "model/decoder_names.h"

namespace limelight::detail {
namespace {

DecoderNames gguf_names(bool gated) {
  DecoderNames names{.pieces = "token_embd",
                     .positions = "position_embd",
                     .layers = "blk.",
                     .final_norm = "output_norm",
                     .head = "output",
                     .attention_norm = "attn_norm",
                     .query_key_value = {"attn_qkv"},
                     .attention_output = "attn_output",
                     .feed_forward_norm = "ffn_norm",
                     .up = {"ffn_up"},
                     .down = "ffn_down"};
  if (gated) {
    names.query_key_value = {"attn_q", "attn_k", "attn_v"};
    names.up = {"ffn_gate", "ffn_up"};
  }
  return names;
}

DecoderNames llama_names(const std::string& root) {
  return {.pieces = root + "embed_tokens",
          .positions = "",
          .layers = root + "layers.",
          .final_norm = root + "norm",
          .head = "lm_head",
          .attention_norm = "input_layernorm",
          .query_key_value = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"},
          .attention_output = "self_attn.o_proj",
          .feed_forward_norm = "post_attention_layernorm",
          .up = {"mlp.gate_proj", "mlp.up_proj"},
          .down = "mlp.down_proj"};
}

DecoderNames gpt2_names(const std::string& root) {
  return {.pieces = root + "wte",
          .positions = root + "wpe",
          .layers = root + "h.",
          .final_norm = root + "ln_f",
          .head = "lm_head",
          .attention_norm = "ln_1",
          .query_key_value = {"attn.c_attn"},
          .attention_output = "attn.c_proj",
          .feed_forward_norm = "ln_2",
          .up = {"mlp.c_fc"},
          .down = "mlp.c_proj",
          .in_out = true};
}

}  // namespace

DecoderNames decoder_names(const ModelTensors& tensors, const DecoderPlan& plan) {
  if (plan.from_gguf) {
    DecoderNames names = gguf_names(plan.gated);
    names.paired = plan.config.architecture == "llama";
    return names;
  }
  // A model without its output matrix is saved without the root of the names.
  if (plan.gated) return llama_names(tensors.has("embed_tokens.weight") ? "" : "model.");
  return gpt2_names(tensors.has("wte.weight") ? "" : "transformer.");
}

}  // namespace limelight::detail
