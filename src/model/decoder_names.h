// What the tensors of decoders are called, and how they lie, in each kind of file.
#pragma once

#include <string>
#include <vector>

#include "model/decoder_plan.h"
#include "model/model_tensors.h"

namespace limelight::detail {

// Less ".weight" and ".bias".
struct DecoderNames {
  std::string pieces, positions, layers, final_norm, head;
  // In layer n: after layers + "n.".
  std::string attention_norm;
  std::vector<std::string> query_key_value;  // or one for all three
  std::string attention_output, feed_forward_norm;
  std::vector<std::string> up;  // the gate in front of it where there is one
  std::string down;
  bool in_out = false;  // matrices are [in, out]: GPT-2's own files
  // Rows of queries and keys that turn against each other lie beside each other, not half a head apart: GGUF's llama.
  bool paired = false;
};

DecoderNames decoder_names(const ModelTensors& tensors, const DecoderPlan& plan);

}  // namespace limelight::detail
