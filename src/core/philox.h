// Random bits without a state: Philox4x32-10, and the dropout factors made of them.
// Source: Salmon et al. 2011, Parallel random numbers: as easy as 1, 2, 3.
#pragma once

#include <array>
#include <cstdint>

namespace limelight::detail {

// The words of a round: what the first and third word of the counter are multiplied by, what the key grows by.
inline constexpr std::array<uint32_t, 2> kPhiloxMultiplier = {0xd2511f53u, 0xcd9e8d57u};
inline constexpr std::array<uint32_t, 2> kPhiloxGrowth = {0x9e3779b9u, 0xbb67ae85u};
inline constexpr int kPhiloxRounds = 10;

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

// A call's dropout (limelight/attention.h), made once for all its weights.
struct DropoutKey {
  std::array<uint32_t, 2> key{};  // of Philox: seed; its high word + the high word of offset
  uint32_t offset = 0;            // low word
  uint32_t threshold = 0;         // words below it drop: round(2^32 probability)
  float kept = 1;                 // factor of the others: 1 / (1 - probability)
};

// 0 <= probability < 1.
DropoutKey dropout_key(float probability, uint64_t seed, uint64_t offset);

// What the weight of key `key` is multiplied by, in row b H + h: word key % 4 of counter (key / 4, query, row, offset).
float dropout_factor(const DropoutKey& dropout, int64_t row, int64_t query, int64_t key);

}  // namespace limelight::detail
