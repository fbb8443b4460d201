// Philox4x32-10, one counter at a time.
#include "core/philox.h"

#include <cmath>

namespace limelight::detail {

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const uint64_t first = uint64_t{kPhiloxMultiplier[0]} * counter[0];
    const uint64_t third = uint64_t{kPhiloxMultiplier[1]} * counter[2];
    counter = {static_cast<uint32_t>(third >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(third),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(first)};
    key = {key[0] + kPhiloxGrowth[0], key[1] + kPhiloxGrowth[1]};
  }
  return counter;
}

DropoutKey dropout_key(float probability, uint64_t seed, uint64_t offset) {
  const auto high = [](uint64_t x) { return static_cast<uint32_t>(x >> 32); };
  return {.key = {static_cast<uint32_t>(seed), high(seed) + high(offset)},
          .offset = static_cast<uint32_t>(offset),
          .threshold = static_cast<uint32_t>(std::round(static_cast<double>(probability) * 0x1p32)),
          .kept = 1.0f / (1.0f - probability)};
}

float dropout_factor(const DropoutKey& dropout, int64_t row, int64_t query, int64_t key) {
  const auto words =
      philox({static_cast<uint32_t>(key / 4), static_cast<uint32_t>(query), static_cast<uint32_t>(row), dropout.offset},
             dropout.key);
  return words[static_cast<size_t>(key % 4)] < dropout.threshold ? 0.0f : dropout.kept;
}

}  // namespace limelight::detail
