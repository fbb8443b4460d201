// Laws of stored weights: exactly what GGML's own Python package makes of the same blocks.
#include "limelight/quantised.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/weight_block.h"
#include "limelight/storage.h"

namespace limelight {
namespace {

std::vector<WeightType> all_types() {
  std::vector<WeightType> types;
  for (int i = 0; i < kWeightTypes; ++i) types.push_back(static_cast<WeightType>(i));
  return types;
}

std::vector<uint8_t> from_hex(const std::string& text) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::vector<float> weights_of(const std::vector<uint8_t>& block, WeightType type) {
  const WeightBlock size = weight_block(type);
  std::vector<float> weights(block.size() / static_cast<size_t>(size.bytes) * static_cast<size_t>(size.weights));
  dequantise(block.data(), type, static_cast<int64_t>(weights.size()), weights.data());
  return weights;
}

void put_half(std::vector<uint8_t>& block, size_t at, float value) {
  const uint16_t bits = to_float16(value).bits;
  std::memcpy(&block[at], &bits, sizeof bits);
}

TEST(Quantised, EveryTypeIsBitForBitWhatGgmlMakesOfIt) {
  std::ifstream stream(LIMELIGHT_GOLDEN "/quantised.json");
  const auto golden = nlohmann::json::parse(stream);
  for (const WeightType type : all_types()) {
    SCOPED_TRACE(std::string(weight_type_name(type)));
    const auto& entry = golden.at(std::string(weight_type_name(type)));
    const auto found = weights_of(from_hex(entry.at("blocks")), type);
    const auto expected = from_hex(entry.at("weights"));
    ASSERT_EQ(found.size() * sizeof(float), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      uint32_t bits;
      std::memcpy(&bits, &expected[4 * i], sizeof bits);
      ASSERT_EQ(std::bit_cast<uint32_t>(found[i]), bits) << "weight " << i;
    }
  }
}

TEST(Quantised, Q8HasNoOffset) {
  std::vector<uint8_t> block(34);
  put_half(block, 0, 0.5f);
  block[2] = 0x80, block[3] = 0, block[4] = 127;
  const auto weights = weights_of(block, WeightType::kQ8_0);
  EXPECT_EQ(weights[0], -64.0f);
  EXPECT_EQ(weights[1], 0.0f);
  EXPECT_EQ(weights[2], 63.5f);
}

TEST(Quantised, LowHalvesAreTheFirstSixteen) {
  std::vector<uint8_t> block(20);
  put_half(block, 0, 0.5f);
  put_half(block, 2, -1.0f);
  std::fill(block.begin() + 4, block.end(), 0xf0);
  const auto weights = weights_of(block, WeightType::kQ4_1);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(weights[i], i < 16 ? -1.0f : 6.5f) << i;
}

TEST(Quantised, BadScaleSpoilsItsOwnBlockOnly) {
  for (const float scale : {std::nanf(""), INFINITY}) {
    std::vector<uint8_t> blocks(2 * 34, 1);
    put_half(blocks, 0, scale);
    put_half(blocks, 34, 2.0f);
    const auto weights = weights_of(blocks, WeightType::kQ8_0);
    for (size_t i = 0; i < 64; ++i) EXPECT_EQ(std::isfinite(weights[i]), i >= 32) << i;
  }
}

TEST(Quantised, FieldsFillTheBlock) {
  for (const WeightType type : all_types()) {
    int64_t bytes = 0;
    for (const auto& field : detail::weight_fields(type)) bytes += field.width * field.count;
    EXPECT_EQ(bytes, weight_block(type).bytes) << weight_type_name(type);
  }
}

TEST(Quantised, BytesNeedNoAlignment) {
  for (const WeightType type : all_types()) {
    const WeightBlock block = weight_block(type);
    std::vector<uint8_t> bytes(static_cast<size_t>(block.bytes) + 3, 0x31);
    std::vector<float> first(static_cast<size_t>(block.weights)), other(first);
    for (size_t shift = 0; shift < 4; ++shift) {
      dequantise(bytes.data() + shift, type, block.weights, shift == 0 ? first.data() : other.data());
      if (shift > 0) {
        EXPECT_EQ(first, other) << weight_type_name(type);
      }
    }
  }
}

}  // namespace
}  // namespace limelight
