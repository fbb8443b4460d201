// 16-bit numbers against their definition in double, and views of elements whose type is known at run time.
#include "limelight/storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace limelight {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Format {
  Storage storage;
  int mantissa, exponent;  // bits

  int bias() const { return (1 << (exponent - 1)) - 1; }
  uint16_t infinity() const { return static_cast<uint16_t>(((1 << exponent) - 1) << mantissa); }

  double value_of(uint16_t bits) const {
    const int e = (bits & 0x7fff) >> mantissa, m = bits & ((1 << mantissa) - 1);
    double magnitude = std::ldexp(m + (e == 0 ? 0 : 1 << mantissa), std::max(e, 1) - bias() - mantissa);
    if (e == (1 << exponent) - 1) magnitude = m == 0 ? kInfinity : std::nan("");
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
  }

  // The nearest by arithmetic in double, which holds every step exactly.
  double nearest(double x) const {
    if (x == 0 || std::isinf(x)) return x;
    const int e = std::max(std::ilogb(x), 1 - bias()) - mantissa;
    const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -e)), e);
    return std::abs(rounded) >= std::ldexp(1.0, bias() + 1) ? std::copysign(kInfinity, x) : rounded;
  }

  uint16_t stored(float x) const {
    uint16_t bits;
    store_float(x, &bits, storage);
    return bits;
  }
  float loaded(uint16_t bits) const { return load_float(&bits, storage); }
};

class HalfFormat : public testing::TestWithParam<Format> {
 protected:
  const Format& format() const { return GetParam(); }
};

TEST_P(HalfFormat, EveryPatternHasItsValue) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double expected = format().value_of(static_cast<uint16_t>(bits));
    const float found = format().loaded(static_cast<uint16_t>(bits));
    ASSERT_EQ(std::signbit(found), std::signbit(expected)) << bits;
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(found)) << bits;
    } else {
      ASSERT_EQ(found, expected) << bits;
    }
  }
}

TEST_P(HalfFormat, EveryPatternComesBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float x = format().loaded(static_cast<uint16_t>(bits));
    if (!std::isnan(x)) {
      ASSERT_EQ(format().stored(x), bits);
    }
  }
}

TEST_P(HalfFormat, NumbersBetweenNeighboursGoToTheNearerAndTiesToTheEven) {
  for (uint16_t low = 0; low < format().infinity(); ++low) {
    const uint16_t high = low + 1;
    // Behind the largest number the next would be twice the power of its exponent.
    const double above = high == format().infinity() ? std::ldexp(1.0, format().bias() + 1) : format().value_of(high);
    const float tie = static_cast<float>((format().value_of(low) + above) / 2);
    const uint16_t even = low % 2 == 0 ? low : high;
    ASSERT_EQ(format().stored(tie), even) << low;
    ASSERT_EQ(format().stored(std::nextafter(tie, 0.0f)), low) << low;
    ASSERT_EQ(format().stored(std::nextafter(tie, std::numeric_limits<float>::infinity())), high) << low;
    ASSERT_EQ(format().stored(-tie), even | 0x8000) << low;
  }
}

TEST_P(HalfFormat, EveryExponentOfAFloatRoundsAsInDouble) {
  std::mt19937 generator(1);
  for (uint32_t exponent = 0; exponent < 255; ++exponent) {
    for (int round = 0; round < 200; ++round) {
      const uint32_t random = static_cast<uint32_t>(generator());
      const uint32_t mantissa = round == 0 ? 0 : round == 1 ? 0x7fffffu : random & 0x7fffffu;
      const float x = std::bit_cast<float>((random & 0x80000000u) | exponent << 23 | mantissa);
      const uint16_t found = format().stored(x);
      ASSERT_EQ(format().value_of(found), format().nearest(x)) << x;
      ASSERT_EQ(std::signbit(x), (found & 0x8000) != 0) << x;
    }
  }
}

TEST_P(HalfFormat, NanStaysANanOfItsSignWhateverItsPayload) {
  for (uint32_t payload = 1; payload < 0x800000u; payload = payload * 3 / 2 + 1) {
    for (const uint32_t sign : {0u, 0x80000000u}) {
      const uint16_t found = format().stored(std::bit_cast<float>(sign | 0x7f800000u | payload));
      ASSERT_TRUE(std::isnan(format().value_of(found))) << payload;
      ASSERT_EQ((found & 0x8000u) << 16, sign) << payload;
    }
  }
}

TEST_P(HalfFormat, OneElementAtAnOddAddressTouchesNothingElse) {
  unsigned char bytes[8];
  std::memset(bytes, 0xa5, sizeof bytes);
  store_float(-1.5f, bytes + 3, format().storage);
  EXPECT_EQ(load_float(bytes + 3, format().storage), -1.5f);
  for (const int n : {0, 1, 2, 5, 6, 7}) EXPECT_EQ(bytes[n], 0xa5) << n;
}

#ifdef __SSE2__
// A process may ask its processor to take subnormal floats for 0 (-ffast-math does): numbers of f16 are none of them.
TEST(Float16, IsTheSameWhereSubnormalFloatsAreFlushed) {
  constexpr unsigned kFlush = 0x8040;
  const unsigned before = __builtin_ia32_stmxcsr();
  std::vector<float> found(0x400);
  std::vector<uint16_t> back(0x400);
  __builtin_ia32_ldmxcsr(before | kFlush);
  for (uint16_t bits = 0; bits < 0x400; ++bits) {
    found[bits] = to_float(Float16{bits});
    back[bits] = to_float16(found[bits]).bits;
  }
  __builtin_ia32_ldmxcsr(before);
  for (uint16_t bits = 0; bits < 0x400; ++bits) {
    ASSERT_EQ(found[bits], std::ldexp(bits, -24));
    ASSERT_EQ(back[bits], bits);
  }
}
#endif

TEST(Storage, HasANameAndASize) {
  EXPECT_EQ(storage_name(Storage::kF32), "f32");
  EXPECT_EQ(storage_name(Storage::kF16), "f16");
  EXPECT_EQ(storage_name(Storage::kBf16), "bf16");
  EXPECT_EQ(storage_bytes(Storage::kF32), 4);
  EXPECT_EQ(storage_bytes(Storage::kF16), 2);
  EXPECT_EQ(storage_bytes(Storage::kBf16), 2);
  static_assert(storage_of<float>() == Storage::kF32 && storage_of<Float16>() == Storage::kF16 &&
                storage_of<BFloat16>() == Storage::kBf16);
}

TEST(Storage, FloatsAreStoredAsTheyAre) {
  for (const uint32_t bits : {0x00000001u, 0x80000000u, 0x7f800001u, 0xffffffffu, 0x3f800000u}) {
    uint32_t found;
    store_float(std::bit_cast<float>(bits), &found, Storage::kF32);
    EXPECT_EQ(found, bits);
    EXPECT_EQ(std::bit_cast<uint32_t>(load_float(&bits, Storage::kF32)), bits);
  }
}

TEST(FloatView, KnowsWhatItWasMadeFrom) {
  Tensor<BFloat16, 4> tensor({2, 3, 4, 5});
  tensor(1, 2, 3, 4) = to_bfloat16(7);
  const FloatView view = tensor;
  EXPECT_EQ(view.storage, Storage::kBf16);
  EXPECT_EQ(view.count(), 120);
  EXPECT_EQ(view.at(1, 2, 3, 4), static_cast<const void*>(&tensor(1, 2, 3, 4)));
  EXPECT_EQ(load_float(view.at(1, 2, 3, 4), view.storage), 7.0f);
}

TEST(FloatView, StridesMayBeZeroOrNegative) {
  Float16 numbers[6];
  for (int n = 0; n < 6; ++n) numbers[n] = to_float16(static_cast<float>(n));
  const FloatView view = TensorView<const Float16, 4>{numbers + 5, {1, 9, 2, 3}, {0, 0, -3, -1}};
  EXPECT_EQ(load_float(view.at(0, 8, 0, 0), view.storage), 5.0f);
  EXPECT_EQ(load_float(view.at(0, 0, 1, 2), view.storage), 0.0f);
}

TEST(FloatView, OutputsAreNeverOfConst) {
  static_assert(std::is_trivially_copyable_v<FloatView>);
  static_assert(std::is_convertible_v<FloatOutput, FloatView> && !std::is_convertible_v<FloatView, FloatOutput>);
  static_assert(std::is_convertible_v<TensorView<Float16, 4>, FloatOutput>);
  static_assert(!std::is_convertible_v<TensorView<const Float16, 4>, FloatOutput>);
  static_assert(std::is_convertible_v<const Tensor<float, 4>&, FloatView>);
  static_assert(!std::is_convertible_v<const Tensor<float, 4>&, FloatOutput>);
  static_assert(!std::is_convertible_v<TensorView<uint8_t, 4>, FloatView>);
}

INSTANTIATE_TEST_SUITE_P(Both, HalfFormat, testing::Values(Format{Storage::kF16, 10, 5}, Format{Storage::kBf16, 7, 8}),
                         [](const auto& test) { return std::string(storage_name(test.param.storage)); });

}  // namespace
}  // namespace limelight
