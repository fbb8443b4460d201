// Bits of Philox, made normal by the formula of Box & Muller (1958).
#include "lesson/draw.h"

#include <cmath>
#include <numbers>

#include "core/philox.h"

namespace limelight::lesson {

float draw_normal(uint64_t seed, uint32_t stream, int64_t index) {
  const auto low = static_cast<uint32_t>(index), high = static_cast<uint32_t>(static_cast<uint64_t>(index) >> 32);
  const auto bits =
      detail::philox({low, high, stream, 0}, {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  const double radius = std::sqrt(-2 * std::log((bits[0] + 1.0) / 4294967296.0));
  return static_cast<float>(radius * std::cos(2 * std::numbers::pi * bits[1] / 4294967296.0));
}

}  // namespace limelight::lesson
