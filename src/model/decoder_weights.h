// A decoder's matrices and vectors, taken out of its files by their names and made ready for the layers.
#pragma once

#include <string>
#include <vector>

#include "limelight/runtime.h"
#include "limelight/tensor.h"
#include "model/decoder_plan.h"
#include "model/model_tensors.h"
#include "model/stored_matrix.h"

namespace limelight::detail {

// Linear layers of the same input, their outputs side by side: one matrix, or several where their types differ.
struct Projection {
  std::vector<StoredMatrix> matrices;
  Tensor<float, 1> bias;  // empty: none

  int64_t out() const;
  // x [T, in] -> y [T, out()].
  void apply(TensorView<const float, 2> x, TensorView<float, 2> y, const Run& run) const;
};

// C hidden channels, I intermediate ones, V pieces of the vocabulary, P positions.
struct DecoderWeights {
  struct Norm {
    Tensor<float, 1> gamma, beta;  // [C]; beta is empty in RMS norms
  };
  struct Layer {
    Norm attention_norm;
    Projection query_key_value;  // C -> (H + 2 G) D
    Projection attention_output;
    Norm feed_forward_norm;
    Projection up;    // C -> 2 I, gate and up; C -> I where it is not gated
    Projection down;  // I -> C
  };

  StoredMatrix pieces;     // [V, C]
  StoredMatrix positions;  // [P, C], or empty
  std::vector<Layer> layers;
  Norm final_norm;
  StoredMatrix head;                // [V, C], or empty: pieces
  std::vector<double> frequencies;  // of rotary positions
  std::vector<std::string> unused;  // tensors of the files that are not in here

  const StoredMatrix& output() const { return head.out() > 0 ? head : pieces; }
};

// Throws FormatError naming the tensor that is missing, of another shape or type, or not finite.
DecoderWeights read_decoder_weights(ModelTensors& tensors, const DecoderPlan& plan, const Run& run);

}  // namespace limelight::detail
