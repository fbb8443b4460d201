// What the configs of all models share: bounds of sizes, the model's name, and fields that mean the same in each.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>

#include "limelight/nn.h"
#include "model/json_field.h"

namespace limelight::detail {

// Far above every published model, low enough that products of two stay in 64 bits and sizes in a file's reach.
inline constexpr int64_t kMaxLayers = 1024;
inline constexpr int64_t kMaxChannels = int64_t{1} << 20;
inline constexpr int64_t kMaxEntries = int64_t{1} << 28;

// The last name of the path, also where it ends in a slash or "..".
std::string name_of(const std::filesystem::path& path);

Gelu read_gelu(const JsonField& field);  // "gelu", "gelu_new", "gelu_pytorch_tanh"

// Of a JsonField or a GgufField.
template <class Field>
float read_epsilon(const Field& field) {
  const auto epsilon = static_cast<float>(field.as_number());
  if (!(epsilon > 0 && epsilon < 1)) field.refuse("a number between 0 and 1");
  return epsilon;
}
template <class Field>
double above_zero(const Field& field) {
  const double value = field.as_number();
  if (!(value > 0) || !std::isfinite(value)) field.refuse("a number above 0");
  return value;
}

}  // namespace limelight::detail
