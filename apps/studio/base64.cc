// Three bytes become four letters; what is left over is filled up with '='.
#include "base64.h"

#include <bit>
#include <string_view>

namespace limelight::studio {

static_assert(std::endian::native == std::endian::little, "the bytes of numbers are sent as they lie");

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* to = text.data();
  for (size_t i = 0; i < bytes.size(); i += 3, to += 4) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t b = 0; b < 3; ++b) bits = bits << 8 | (b < count ? std::to_integer<uint32_t>(bytes[i + b]) : 0);
    for (size_t l = 0; l <= count; ++l) to[l] = kLetters[bits >> (18 - 6 * l) & 63];
  }
  return text;
}

}  // namespace limelight::studio
