// The bytes of a GGUF file, checked whole: counts first, then metadata, tensors and their ranges.
// Works on any memory, so that a fuzzer needs no file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limelight/gguf.h"

namespace limelight::detail {

inline constexpr std::string_view kGgufMagic = "GGUF";

struct GgufContents {
  int version = 0;
  std::vector<std::pair<std::string_view, GgufValue>> metadata;  // in file order; all of these are views
  std::vector<GgufTensor> tensors;                               // into the argument
};

// `file` is named in errors. Throws FormatError.
GgufContents parse_gguf(std::span<const std::byte> bytes, const std::string& file);

// "STRING", "ARRAY", ...
std::string_view gguf_type_name(GgufType type);

// Bytes of a value; 0 for strings and arrays, whose length varies.
size_t gguf_type_bytes(GgufType type);

// The next little-endian number, as 8 bytes would hold it (signs extended, floats by their bits).
uint64_t gguf_bits(const std::byte* from, GgufType type);

// The elements of an array, which parse_gguf has checked.
std::vector<GgufValue> gguf_elements(const GgufValue& array);

}  // namespace limelight::detail
