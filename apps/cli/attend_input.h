// The tensors that `limelight attend` reads: q, k, v and, where present, all that attention takes besides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "limelight/attention.h"
#include "limelight/safetensors.h"
#include "stored_tensor.h"

namespace limelight::cli {

struct AttendInput {
  Storage storage = Storage::kF32;         // of q, k and v
  StoredTensor q, k, v;                    // k and v are pages where there is a block_table
  std::optional<Tensor<float, 4>> bias;    // axes of size 1 put before those it has
  std::vector<int64_t> bias_shape;         // as in the file
  std::optional<Tensor<uint8_t, 4>> mask;  // as bias
  std::optional<Tensor<float, 2>> alibi_slopes;
  std::optional<Tensor<float, 1>> sinks;
  std::optional<Tensor<int64_t, 1>> key_lengths, cu_q, cu_k;
  std::optional<Tensor<int64_t, 2>> block_table;
  std::optional<Tensor<float, 4>> dout;  // where gradients are asked for
  std::optional<Tensor<float, 3>> dlse;
  std::vector<std::string> notes;  // what was narrowed, is not finite or was not used

  int64_t keys() const;  // N
  void put_views(AttentionOptions& options) const;
};

struct AttendReading {
  std::optional<Storage> dtype = std::nullopt;  // to store q, k and v in; that of q in the file unless given
  bool alibi = false;                           // the usual slopes, which the file must then not hold
  bool gradients = false;                       // needs dout
};

// Throws FileError or FormatError naming file and tensor.
AttendInput read_attend_input(const std::string& path, const AttendReading& reading);

}  // namespace limelight::cli
