// One vector out of a text's hidden states, as the model was trained to give it.
// Format: 1_Pooling/config.json of Sentence Transformers' folders.
#pragma once

#include <filesystem>
#include <string>

#include "limelight/tensor.h"

namespace limelight::detail {

struct Pooling {
  enum class Kind { kMean, kFirst, kOther };
  Kind kind = Kind::kMean;
  std::string refusal;  // of kOther: file, field and what is there, for embed() alone
};

// The mean where the folder does not say. Throws FormatError where it cannot be read.
Pooling read_pooling(const std::filesystem::path& folder);

// rows [T, C], pooled and scaled to length 1, to [C]. A zero vector has no direction and stays zero. Throws FormatError
// for kOther.
void write_pooled(const Pooling& pooling, TensorView<const float, 2> rows, float* to);

}  // namespace limelight::detail
