// Safetensors files put together by hand, right and wrong ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/safetensors_reader.h"

namespace limelight::testing {

// The 8 bytes that say a length.
inline std::string length_bytes(uint64_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i));
  return bytes;
}

inline std::string file_bytes(const std::string& header, const std::string& data) {
  return length_bytes(header.size()) + header + data;
}

inline detail::SafetensorsContents parse(const std::string& bytes) {
  return detail::parse_safetensors(std::as_bytes(std::span(bytes)), "f");
}

}  // namespace limelight::testing
