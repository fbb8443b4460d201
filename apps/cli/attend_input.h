// The tensors that `limelight attend` reads: q, k, v and, where present, bias, mask and key_lengths.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "limelight/attention.h"
#include "limelight/safetensors.h"

namespace limelight::cli {

struct AttendInput {
  Tensor<float, 4> q, k, v;
  std::optional<Tensor<float, 4>> bias;    // axes of size 1 put before those it has
  std::optional<Tensor<uint8_t, 4>> mask;  // the same
  std::optional<Tensor<int64_t, 1>> key_lengths;
  std::vector<std::string> notes;  // what was narrowed, is not finite or was not used

  void put_views(AttentionOptions& options) const;
};

// Throws FileError or FormatError naming file and tensor.
AttendInput read_attend_input(const std::string& path);

}  // namespace limelight::cli
