// Conversions between f32 and the two 16-bit formats, by bits.
#include "limelight/storage.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace limelight {
namespace {

constexpr uint32_t kSign = 0x80000000u;
constexpr uint32_t kInfinity = 0x7f800000u;

// x shifted right by `shift`, rounded to nearest, ties to even.
uint32_t shift_round(uint32_t x, int shift) {
  const uint32_t half = (1u << (shift - 1)) - 1;
  return (x + half + ((x >> shift) & 1u)) >> shift;
}

}  // namespace

float to_float(BFloat16 x) {
  return std::bit_cast<float>(static_cast<uint32_t>(x.bits) << 16);
}

// As processors do it, a signalling NaN becomes a quiet one.
float to_float(Float16 x) {
  const uint32_t magnitude = static_cast<uint32_t>(x.bits & 0x7fffu) << 13;
  uint32_t bits = magnitude + 0x38000000u;  // 112 more in the exponent
  if (magnitude < 0x00800000u) {
    // Subnormal: put behind 2^-14 and freed of it. (As a float of its own it would be subnormal too, and lost where a
    // process has set such numbers to 0.)
    bits = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude + 0x38800000u) - 0x1p-14f);
  } else if (magnitude >= 0x0f800000u) {
    bits |= magnitude == 0x0f800000u ? kInfinity : kInfinity | 0x00400000u;
  }
  return std::bit_cast<float>(bits | (static_cast<uint32_t>(x.bits & 0x8000u) << 16));
}

BFloat16 to_bfloat16(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  if ((bits & ~kSign) > kInfinity) return {static_cast<uint16_t>((bits >> 16) | 0x40u)};
  return {static_cast<uint16_t>(shift_round(bits, 16))};
}

Float16 to_float16(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t magnitude = bits & ~kSign;
  const uint32_t sign = (bits & kSign) >> 16;
  uint32_t half = 0;
  if (magnitude > kInfinity) {
    half = 0x7e00u | ((magnitude >> 13) & 0x1ffu);
  } else if (magnitude >= 0x38800000u) {  // 2^-14 and more: normal, from 65520 on infinity
    half = std::min(shift_round(magnitude - 0x38000000u, 13), 0x7c00u);
  } else {
    // Subnormal: adding 1/2 leaves the number, rounded to a multiple of 2^-24, in the low bits.
    half = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  }
  return {static_cast<uint16_t>(half | sign)};
}

std::string_view storage_name(Storage storage) {
  switch (storage) {
    case Storage::kF16:
      return "f16";
    case Storage::kBf16:
      return "bf16";
    default:
      return "f32";
  }
}

float load_float(const void* from, Storage storage) {
  if (storage == Storage::kF32) {
    float x;
    std::memcpy(&x, from, sizeof x);
    return x;
  }
  uint16_t bits;
  std::memcpy(&bits, from, sizeof bits);
  return storage == Storage::kF16 ? to_float(Float16{bits}) : to_float(BFloat16{bits});
}

void store_float(float x, void* to, Storage storage) {
  if (storage == Storage::kF32) {
    std::memcpy(to, &x, sizeof x);
    return;
  }
  const uint16_t bits = storage == Storage::kF16 ? to_float16(x).bits : to_bfloat16(x).bits;
  std::memcpy(to, &bits, sizeof bits);
}

}  // namespace limelight
