// From stored types to the library's: exact values, whatever the alignment, and refusals by name.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "limelight/error.h"
#include "limelight/safetensors.h"
#include "tests/model/safetensors_bytes.h"
#include "tests/model/temporary_folder.h"
#include "tests/model/thrown.h"

namespace limelight::testing {
namespace {

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// A file of one tensor x of these values, as a vector, behind `before` bytes of another.
class OneTensorFile {
 public:
  template <class T>
  OneTensorFile(const std::string& dtype, const std::vector<T>& values, size_t before = 0)
      : file_((write(dtype, bytes_of(values), values.size(), before), SafetensorsFile::open(folder_ / "f"))) {}

  const SafetensorsFile& file() const { return file_; }
  const TensorInfo& x() const { return *file_.find("x"); }

 private:
  void write(const std::string& dtype, const std::string& data, size_t count, size_t before) {
    const std::string b = std::to_string(before), end = std::to_string(before + data.size());
    std::string header = R"({"first":{"dtype":"U8","shape":[)" + b + R"(],"data_offsets":[0,)" + b +
                         R"(]},"x":{"dtype":")" + dtype + R"(","shape":[)" + std::to_string(count) +
                         R"(],"data_offsets":[)" + b + "," + end + "]}}";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    write_text(folder_ / "f", file_bytes(header, std::string(before, 'u') + data));
  }

  TemporaryFolder folder_;
  SafetensorsFile file_;
};

template <class T>
std::vector<T> values_of(const OneTensorFile& stored) {
  const auto t = read_tensor<T, 1>(stored.file(), stored.x());
  return {t.data(), t.data() + t.count()};
}

template <class T>
void expect_integers(const std::string& dtype) {
  const std::vector<T> values = {std::numeric_limits<T>::min(), 0, 1, std::numeric_limits<T>::max()};
  EXPECT_EQ(values_of<int64_t>(OneTensorFile(dtype, values)), std::vector<int64_t>(values.begin(), values.end()));
}

TEST(SafetensorsReading, IntegersKeepTheirValues) {
  expect_integers<int8_t>("I8");
  expect_integers<uint8_t>("U8");
  expect_integers<int16_t>("I16");
  expect_integers<uint16_t>("U16");
  expect_integers<int32_t>("I32");
  expect_integers<uint32_t>("U32");
  expect_integers<int64_t>("I64");
  EXPECT_EQ(values_of<int64_t>(OneTensorFile("U64", std::vector<uint64_t>{0, INT64_MAX})),
            (std::vector<int64_t>{0, INT64_MAX}));
}

TEST(SafetensorsReading, EveryHalfBecomesItsFloat) {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  const auto values = values_of<float>(OneTensorFile("F16", all));
  for (size_t i = 0; i < all.size(); ++i) {
    const int exponent = static_cast<int>(i >> 10 & 31), fraction = static_cast<int>(i & 1023);
    const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    const float expected = static_cast<float>(i >> 15 != 0 ? -magnitude : magnitude);
    if (exponent == 31 && fraction != 0) {
      EXPECT_TRUE(std::isnan(values[i])) << i;
    } else if (exponent == 31) {
      EXPECT_EQ(values[i], i >> 15 != 0 ? -INFINITY : INFINITY);
    } else {
      EXPECT_EQ(std::bit_cast<uint32_t>(values[i]), std::bit_cast<uint32_t>(expected)) << i;
    }
  }
}

TEST(SafetensorsReading, BfloatIsTheUpperHalfOfAFloat) {
  const auto values = values_of<float>(OneTensorFile("BF16", std::vector<uint16_t>{0x3f80, 0xc2f7, 0x0001, 0xff80}));
  EXPECT_EQ(values, (std::vector<float>{1.0f, -123.5f, 0x1p-133f, -INFINITY}));
}

TEST(SafetensorsReading, DoublesAreRoundedToFloat) {
  const auto values = values_of<float>(OneTensorFile("F64", std::vector<double>{0.1, -2.0, 1e300, INFINITY}));
  EXPECT_EQ(values, (std::vector<float>{0.1f, -2.0f, INFINITY, INFINITY}));
}

template <class T>
std::vector<uint16_t> bits_of(const OneTensorFile& stored) {
  std::vector<uint16_t> bits;
  for (const T x : values_of<T>(stored)) bits.push_back(x.bits);
  return bits;
}

TEST(SafetensorsReading, SixteenBitsReadAsTheyAreStoredKeepEveryBit) {
  std::vector<uint16_t> all(65536);  // every NaN too
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  EXPECT_EQ(bits_of<Float16>(OneTensorFile("F16", all, 1)), all);
  EXPECT_EQ(bits_of<BFloat16>(OneTensorFile("BF16", all, 1)), all);
}

TEST(SafetensorsReading, WiderFloatsAreRoundedToTheNearestSixteenBits) {
  const std::vector<float> values = {1, 1 + 0x1p-11f, 1 + 0x3p-11f, -65520, 0x1p-25f, INFINITY};
  EXPECT_EQ(bits_of<Float16>(OneTensorFile("F32", values)),
            (std::vector<uint16_t>{0x3c00, 0x3c00, 0x3c02, 0xfc00, 0, 0x7c00}));
  const std::vector<double> wide = {1, 1 + 0x1p-8, 1 + 0x3p-8, -65520, 1e300};
  EXPECT_EQ(bits_of<BFloat16>(OneTensorFile("F64", wide)),
            (std::vector<uint16_t>{0x3f80, 0x3f80, 0x3f82, 0xc780, 0x7f80}));
  EXPECT_EQ(bits_of<BFloat16>(OneTensorFile("F16", std::vector<uint16_t>{0x3c00, 0x3c01})),
            (std::vector<uint16_t>{0x3f80, 0x3f80}));
  EXPECT_EQ(bits_of<Float16>(OneTensorFile("BF16", std::vector<uint16_t>{0x3f80, 0x7f00})),
            (std::vector<uint16_t>{0x3c00, 0x7c00}));
}

TEST(SafetensorsReading, BoolsAndBytesAreBytes) {
  const std::vector<uint8_t> values = {0, 1, 255};
  EXPECT_EQ(values_of<uint8_t>(OneTensorFile("BOOL", values)), values);
  EXPECT_EQ(values_of<uint8_t>(OneTensorFile("U8", values)), values);
}

TEST(SafetensorsReading, AlignmentChangesNoValue) {
  for (size_t before : {1, 2, 3, 5, 7}) {
    EXPECT_EQ(values_of<float>(OneTensorFile("F32", std::vector<float>{1.5f, -3}, before)),
              (std::vector<float>{1.5f, -3}));
    EXPECT_EQ(values_of<float>(OneTensorFile("F64", std::vector<double>{1.5}, before)), (std::vector<float>{1.5f}));
    EXPECT_EQ(values_of<float>(OneTensorFile("F16", std::vector<uint16_t>{0x3e00}, before)),
              (std::vector<float>{1.5f}));
    EXPECT_EQ(values_of<float>(OneTensorFile("BF16", std::vector<uint16_t>{0x3fc0}, before)),
              (std::vector<float>{1.5f}));
    EXPECT_EQ(values_of<int64_t>(OneTensorFile("I32", std::vector<int32_t>{-7}, before)), (std::vector<int64_t>{-7}));
    EXPECT_EQ(values_of<int64_t>(OneTensorFile("I64", std::vector<int64_t>{-7}, before)), (std::vector<int64_t>{-7}));
  }
}

TEST(SafetensorsReading, DataBeginsRightAfterAHeaderOfAnyLength) {
  std::string header = R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  header.resize(0xa766, ' ');
  const TemporaryFolder folder;
  write_text(folder / "f", file_bytes(header, bytes_of(std::vector<float>{0.25f, 4})));
  const auto file = SafetensorsFile::open(folder / "f");
  const auto x = read_tensor<float, 1>(file, *file.find("x"));
  EXPECT_EQ(x(0), 0.25f);
  EXPECT_EQ(x(1), 4.0f);
}

TEST(SafetensorsReading, WrongTypeOrRankIsNamed) {
  const OneTensorFile floats("F32", std::vector<float>{1, 2});
  const std::string x = floats.file().path().string() + ": tensor 'x' ";
  EXPECT_EQ(thrown<FormatError>([&] { read_tensor<int64_t, 1>(floats.file(), floats.x()); }),
            x + "dtype: expected integers below 2^63, found F32");
  EXPECT_EQ(thrown<FormatError>([&] { read_tensor<uint8_t, 1>(floats.file(), floats.x()); }),
            x + "dtype: expected BOOL or U8, found F32");
  EXPECT_EQ(thrown<FormatError>([&] { read_tensor<float, 2>(floats.file(), floats.x()); }),
            x + "shape: expected 2 axes, found [2]");
  const OneTensorFile integers("U64", std::vector<uint64_t>{uint64_t{1} << 63});
  const std::string y = integers.file().path().string() + ": tensor 'x' ";
  EXPECT_EQ(thrown<FormatError>([&] { read_tensor<int64_t, 1>(integers.file(), integers.x()); }),
            y + "dtype: expected integers below 2^63, found U64");
  EXPECT_EQ(thrown<FormatError>([&] { read_tensor<float, 1>(integers.file(), integers.x()); }),
            y + "dtype: expected F16, BF16, F32 or F64, found U64");
  EXPECT_EQ(thrown<FormatError>([&] { read_tensor<Float16, 1>(integers.file(), integers.x()); }),
            y + "dtype: expected F16, BF16, F32 or F64, found U64");
}

TEST(SafetensorsReading, WhatIsNoFileIsNamed) {
  const TemporaryFolder folder;
  const auto error = [](const std::filesystem::path& path) {
    return thrown<FileError>([&] { SafetensorsFile::open(path); });
  };
  EXPECT_EQ(error(folder / "none"), (folder / "none").string() + ": cannot read: No such file or directory");
  EXPECT_EQ(error(folder.path()), folder.path().string() + ": cannot read: expected a file, found a folder");
  EXPECT_EQ(error("/dev/null"), "/dev/null: cannot read: expected a file, found a device or pipe");
  write_text(folder / "empty", "");
  EXPECT_EQ(thrown<FormatError>([&] { SafetensorsFile::open(folder / "empty"); }),
            (folder / "empty").string() + ": expected at least 8 bytes, found 0");
}

}  // namespace
}  // namespace limelight::testing
