// Conversions between f32 and the two 16-bit formats, by bits.
#include "limelight/storage.h"

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

// The exponent is rebiased by a multiplication, which is exact and turns subnormal numbers into normal ones.
float to_float(Float16 x) {
  const uint32_t magnitude = static_cast<uint32_t>(x.bits & 0x7fffu) << 13;
  uint32_t bits = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  if ((x.bits & 0x7c00u) == 0x7c00u) bits |= kInfinity;
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
  } else if (magnitude >= 0x47800000u) {  // 2^16 and more, infinity too
    half = 0x7c00u;
  } else if (magnitude >= 0x38800000u) {  // 2^-14 and more: normal; rounding up may carry into infinity, as it should
    half = shift_round(magnitude - 0x38000000u, 13);
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

int64_t storage_bytes(Storage storage) {
  return storage == Storage::kF32 ? 4 : 2;
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
