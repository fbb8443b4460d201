// An encoder's matrices and vectors, taken out of its files by their names and made ready for the layers.
#pragma once

#include <string>
#include <vector>

#include "limelight/nn.h"
#include "model/encoder_config.h"
#include "model/model_tensors.h"

namespace limelight::detail {

// C hidden channels, I intermediate ones, V pieces of the vocabulary, P rows of positions.
struct EncoderWeights {
  struct Norm {
    Tensor<float, 1> gamma, beta;  // [C]
  };
  struct Layer {
    Linear query_key_value;  // C -> 3C, side by side
    Linear attention_output;
    Norm attention_norm;
    Linear up;    // C -> I
    Linear down;  // I -> C
    Norm feed_forward_norm;
  };

  Tensor<float, 2> words;      // [V, C]
  Tensor<float, 2> positions;  // [P, C], token type 0 added where there are types: text is one segment
  Norm embedding_norm;
  std::vector<Layer> layers;
  std::vector<std::string> unused;  // tensors of the file that are not in here
};

// Throws FormatError naming the tensor that is missing, of another shape or type, or not finite.
EncoderWeights read_encoder_weights(ModelTensors& tensors, const EncoderPlan& plan);

}  // namespace limelight::detail
