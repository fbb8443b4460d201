// Rows of stored numbers to and from f32, for every instruction set: the functions of one element are the law.
#include "limelight/storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/kernels.h"
#include "tests/core/guarded.h"

namespace limelight::detail {
namespace {

using limelight::testing::Guard;
using limelight::testing::Guarded;

struct Case {
  size_t kernels;
  Storage storage;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (size_t n = 0; n < all_kernels().size(); ++n) {
    for (const Storage storage : {Storage::kF32, Storage::kF16, Storage::kBf16}) cases.push_back({n, storage});
  }
  return cases;
}

class StoredRow : public ::testing::TestWithParam<Case> {
 protected:
  const Kernels& kernels() const { return all_kernels()[GetParam().kernels]; }
  Storage storage() const { return GetParam().storage; }
  int64_t bytes() const { return storage_bytes(storage()); }

  // Compares bits, NaNs too.
  void expect_widened(const unsigned char* from, int64_t count, const float* found) const {
    for (int64_t n = 0; n < count; ++n) {
      const float expected = load_float(from + n * bytes(), storage());
      ASSERT_EQ(std::bit_cast<uint32_t>(found[n]), std::bit_cast<uint32_t>(expected)) << n << " of " << count;
    }
  }
  void expect_narrowed(const float* from, int64_t count, const unsigned char* found) const {
    for (int64_t n = 0; n < count; ++n) {
      unsigned char expected[4];
      store_float(from[n], expected, storage());
      ASSERT_EQ(std::memcmp(found + n * bytes(), expected, static_cast<size_t>(bytes())), 0)
          << n << " of " << count << ": " << std::hex << std::bit_cast<uint32_t>(from[n]);
    }
  }
  void narrow_and_compare(const std::vector<float>& from) const {
    const auto count = static_cast<int64_t>(from.size());
    std::vector<unsigned char> found(from.size() * static_cast<size_t>(bytes()));
    kernels().narrow(from.data(), storage(), count, found.data());
    expect_narrowed(from.data(), count, found.data());
  }
};

TEST_P(StoredRow, EveryPatternIsWidenedAsAlone) {
  std::vector<uint16_t> patterns(0x10000);
  for (size_t n = 0; n < patterns.size(); ++n) patterns[n] = static_cast<uint16_t>(n);
  const auto* from = reinterpret_cast<const unsigned char*>(patterns.data());
  const int64_t count = 0x20000 / bytes();
  std::vector<float> found(static_cast<size_t>(count));
  kernels().widen(from, storage(), count, found.data());
  expect_widened(from, count, found.data());
}

// Of each 16-bit number x, both signs: x, halfway to the next and one bit beside each.
TEST_P(StoredRow, EveryTieIsNarrowedAsAlone) {
  for (const auto& [half, step] : {std::pair{Storage::kF16, 0x1000u}, std::pair{Storage::kBf16, 0x8000u}}) {
    std::vector<float> numbers;
    for (uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
      const auto bits = static_cast<uint16_t>(pattern);
      const float x = load_float(&bits, half);
      // Subnormal f16 numbers have their halves elsewhere: the mean is exact.
      const auto next = static_cast<uint16_t>(pattern + 1);
      const float mean = (x + load_float(&next, half)) / 2;
      for (const float y : {x, mean, std::bit_cast<float>(std::bit_cast<uint32_t>(x) + step)}) {
        for (const uint32_t beside : {0xffffffffu, 0u, 1u}) {
          numbers.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(y) + beside));
        }
      }
    }
    narrow_and_compare(numbers);
  }
}

TEST_P(StoredRow, EveryExponentIsNarrowedAsAlone) {
  std::vector<float> numbers;
  for (uint32_t top = 0; top < 0x200; ++top) {  // sign and exponent, NaN and infinity too
    for (const uint32_t mantissa : {0u, 1u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u, 0x2aaaaau, 0x3fffffu,
                                    0x400000u, 0x7fefffu, 0x7ff000u, 0x7f8000u, 0x7fffffu}) {
      numbers.push_back(std::bit_cast<float>(top << 23 | mantissa));
    }
  }
  narrow_and_compare(numbers);
}

// With forbidden pages behind or before both rows, at addresses that suit no vector.
TEST_P(StoredRow, AnyCountIsConvertedAndNothingBeyondIsTouched) {
  for (const Guard guard : {Guard::kBehind, Guard::kBefore}) {
    for (int64_t count = 0; count <= 70; ++count) {
      const Guarded<unsigned char> stored(count * bytes(), guard), back(count * bytes(), guard);
      const Guarded<float> floats(count, guard);
      for (int64_t n = 0; n < count; ++n) {
        store_float(0.37f * static_cast<float>(n) - 9, stored.data() + n * bytes(), storage());
      }
      kernels().widen(stored.data(), storage(), count, floats.data());
      expect_widened(stored.data(), count, floats.data());
      kernels().narrow(floats.data(), storage(), count, back.data());
      expect_narrowed(floats.data(), count, back.data());
    }
  }
}

TEST_P(StoredRow, RowMayBeginAtAnyByte) {
  constexpr int64_t kCount = 37;
  std::vector<unsigned char> stored(kCount * 4 + 8), back(kCount * 4 + 8);
  std::vector<float> floats(kCount);
  for (size_t shift = 0; shift < 8; ++shift) {
    for (int64_t n = 0; n < kCount; ++n) {
      store_float(1.1f * static_cast<float>(n), stored.data() + shift + static_cast<size_t>(n * bytes()), storage());
    }
    kernels().widen(stored.data() + shift, storage(), kCount, floats.data());
    expect_widened(stored.data() + shift, kCount, floats.data());
    std::fill(back.begin(), back.end(), static_cast<unsigned char>(0xa5));
    kernels().narrow(floats.data(), storage(), kCount, back.data() + shift);
    expect_narrowed(floats.data(), kCount, back.data() + shift);
    for (size_t n = 0; n < back.size(); ++n) {
      const bool inside = n >= shift && n < shift + static_cast<size_t>(kCount * bytes());
      ASSERT_TRUE(inside || back[n] == 0xa5) << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, StoredRow, ::testing::ValuesIn(all_cases()), [](const auto& test) {
  return all_kernels()[test.param.kernels].isa + "_" + std::string(storage_name(test.param.storage));
});

}  // namespace
}  // namespace limelight::detail
