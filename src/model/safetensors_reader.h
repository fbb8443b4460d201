// The bytes of a safetensors file, checked whole: lengths first, then header, types, products and ranges.
// Works on any memory, so that a fuzzer needs no file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "limelight/safetensors.h"

namespace limelight::detail {

struct SafetensorsContents {
  std::vector<TensorInfo> tensors;  // in the order of their bytes; these are views into the argument
  std::vector<std::pair<std::string, std::string>> metadata;
};

// `file` is named in errors. Throws FormatError.
SafetensorsContents parse_safetensors(std::span<const std::byte> bytes, const std::string& file);

}  // namespace limelight::detail
