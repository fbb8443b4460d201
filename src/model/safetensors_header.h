// The JSON header of a safetensors file: what it says of each tensor, before anything is believed.
// Read as a stream of events, so memory stays in proportion to the text and no nesting can grow a stack.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limelight/safetensors.h"

namespace limelight::detail {

struct SafetensorsHeader {
  struct Entry {
    std::string name;
    Dtype dtype{};
    std::vector<uint64_t> shape;
    std::vector<uint64_t> data_offsets;  // two
  };
  std::vector<Entry> entries;  // as listed
  std::vector<std::pair<std::string, std::string>> metadata;
};

// `file` is named in errors. Throws FormatError for what is not JSON in UTF-8 and for fields that are missing, unknown,
// given twice or of the wrong type.
SafetensorsHeader read_safetensors_header(std::string_view text, const std::string& file);

}  // namespace limelight::detail
