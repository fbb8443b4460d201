// Numbers inside JSON: their little-endian bytes as base64 (RFC 4648).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace limelight::studio {

std::string base64(std::span<const std::byte> bytes);

template <class T>
std::string base64_of(const std::vector<T>& numbers) {
  return base64(std::as_bytes(std::span(numbers)));
}

}  // namespace limelight::studio
