// The blocks of stored weights: their sizes and fields, and one weight after the other as its formula says.
#include "limelight/quantised.h"

#include <array>
#include <cstring>

#include "core/weight_block.h"
#include "limelight/storage.h"

namespace limelight {
namespace {

using detail::WeightField;

struct Row {
  std::string_view name;
  WeightBlock block;
  int fields;
  std::array<WeightField, 4> field;
};

constexpr std::array<Row, kWeightTypes> kRows = {{
    {"F32", {1, 4}, 1, {{{4, 1}}}},
    {"F16", {1, 2}, 1, {{{2, 1}}}},
    {"BF16", {1, 2}, 1, {{{2, 1}}}},
    {"Q8_0", {32, 34}, 2, {{{2, 1}, {1, 32}}}},                      // d, q
    {"Q4_0", {32, 18}, 2, {{{2, 1}, {1, 16}}}},                      // d, q
    {"Q4_1", {32, 20}, 3, {{{2, 1}, {2, 1}, {1, 16}}}},              // d, m, q
    {"Q5_0", {32, 22}, 3, {{{2, 1}, {4, 1}, {1, 16}}}},              // d, fifth bits, q
    {"Q5_1", {32, 24}, 4, {{{2, 1}, {2, 1}, {4, 1}, {1, 16}}}},      // d, m, fifth bits, q
    {"Q4_K", {256, 144}, 4, {{{2, 1}, {2, 1}, {1, 12}, {1, 128}}}},  // d, m, s and t, q
    {"Q6_K", {256, 210}, 4, {{{1, 128}, {1, 64}, {1, 16}, {2, 1}}}}  // q, high bits, s, d
}};

const Row& row(WeightType type) {
  return kRows[static_cast<size_t>(type)];
}

float half_at(const uint8_t* from) {
  return load_float(from, Storage::kF16);
}

// q i of a block of 32 with four bits each: the low halves are the first 16.
int nibble(const uint8_t* q, int i) {
  return i < 16 ? q[i] & 15 : q[i - 16] >> 4;
}

int fifth_bit(const uint8_t* bits, int i) {
  return (bits[i / 8] >> (i % 8) & 1) << 4;
}

void block_of_32(const uint8_t* from, WeightType type, float* to) {
  const float d = half_at(from);
  const bool has_minimum = type == WeightType::kQ4_1 || type == WeightType::kQ5_1;
  const bool has_fifth = type == WeightType::kQ5_0 || type == WeightType::kQ5_1;
  const float m = has_minimum ? half_at(from + 2) : 0;
  const uint8_t* bits = from + (has_minimum ? 4 : 2);
  const uint8_t* q = bits + (has_fifth ? 4 : 0);
  for (int i = 0; i < 32; ++i) {
    const int code = nibble(q, i) + (has_fifth ? fifth_bit(bits, i) : 0);
    to[i] = has_minimum ? d * static_cast<float>(code) + m : d * static_cast<float>(code - (has_fifth ? 16 : 8));
  }
}

void block_q8_0(const uint8_t* from, float* to) {
  const float d = half_at(from);
  for (int i = 0; i < 32; ++i) to[i] = d * static_cast<float>(static_cast<int8_t>(from[2 + i]));
}

// The 6-bit numbers s and t of 32 weights: eight each in twelve bytes, the high bits of the last four apart.
struct Pair {
  int s, t;
};
Pair pair_at(const uint8_t* packed, int group) {
  if (group < 4) return {packed[group] & 63, packed[group + 4] & 63};
  return {(packed[group + 4] & 15) | (packed[group - 4] >> 6) << 4, (packed[group + 4] >> 4) | (packed[group] >> 6)
                                                                                                   << 4};
}

void block_q4_k(const uint8_t* from, float* to) {
  const float d = half_at(from), m = half_at(from + 2);
  for (int i = 0; i < 256; ++i) {
    const int group = i / 32;
    const Pair pair = pair_at(from + 4, group);
    const int byte = from[16 + group / 2 * 32 + i % 32];
    const int code = group % 2 == 0 ? byte & 15 : byte >> 4;
    to[i] = d * static_cast<float>(pair.s) * static_cast<float>(code) - m * static_cast<float>(pair.t);
  }
}

void block_q6_k(const uint8_t* from, float* to) {
  const float d = half_at(from + 208);
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128, quarter = i % 128 / 32, place = i % 32;
    const int low = from[64 * half + quarter % 2 * 32 + place] >> (quarter < 2 ? 0 : 4) & 15;
    const int high = from[128 + 32 * half + place] >> (2 * quarter) & 3;
    const int s = static_cast<int8_t>(from[192 + i / 16]);
    to[i] = d * static_cast<float>(s) * static_cast<float>((low | high << 4) - 32);
  }
}

void block_of(const uint8_t* from, WeightType type, float* to) {
  switch (type) {
    case WeightType::kF32:
      *to = load_float(from, Storage::kF32);
      return;
    case WeightType::kF16:
      *to = load_float(from, Storage::kF16);
      return;
    case WeightType::kBf16:
      *to = load_float(from, Storage::kBf16);
      return;
    case WeightType::kQ8_0:
      return block_q8_0(from, to);
    case WeightType::kQ4K:
      return block_q4_k(from, to);
    case WeightType::kQ6K:
      return block_q6_k(from, to);
    default:
      return block_of_32(from, type, to);
  }
}

}  // namespace

std::string_view weight_type_name(WeightType type) {
  return row(type).name;
}

WeightBlock weight_block(WeightType type) {
  return row(type).block;
}

void dequantise(const void* from, WeightType type, int64_t count, float* to) {
  const WeightBlock block = weight_block(type);
  const auto* bytes = static_cast<const uint8_t*>(from);
  for (int64_t i = 0; i < count; i += block.weights, bytes += block.bytes) block_of(bytes, type, to + i);
}

namespace detail {

std::span<const WeightField> weight_fields(WeightType type) {
  return std::span(row(type).field).first(static_cast<size_t>(row(type).fields));
}

}  // namespace detail
}  // namespace limelight
