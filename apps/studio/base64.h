// Numbers inside JSON: their little-endian bytes as base64 (RFC 4648).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace limelight::studio {

// Stands among floats where the mask blocks: a state, not a share of 0.
constexpr float kBlockedFloat = std::numeric_limits<float>::quiet_NaN();

std::string base64(std::span<const std::byte> bytes);

template <class T>
std::string base64_of(const std::vector<T>& numbers) {
  return base64(std::as_bytes(std::span(numbers)));
}

}  // namespace limelight::studio
