// Laws of GGUF files that are as they should be.
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "limelight/error.h"
#include "limelight/gguf.h"
#include "tests/model/gguf_bytes.h"
#include "tests/model/temporary_folder.h"
#include "tests/model/thrown.h"

namespace limelight::testing {
namespace {

class Gguf : public ::testing::Test {
 protected:
  GgufFile open(const GgufText& text) {
    write_text(path(), text.bytes());
    return GgufFile::open(path());
  }
  std::filesystem::path path() const { return folder_ / "m.gguf"; }
  std::string error(const std::string& key, const std::string& what) const {
    return path().string() + ": metadata '" + key + "': " + what;
  }

 private:
  TemporaryFolder folder_;
};

std::string float_bytes(float x) {
  return u32(std::bit_cast<uint32_t>(x));
}

TEST_F(Gguf, EveryTypeOfValueIsRead) {
  const GgufFile file = open({.metadata = {
                                  entry("u8", GgufType::kU8, little(255, 1)),
                                  entry("i8", GgufType::kI8, little(0xff, 1)),
                                  entry("u16", GgufType::kU16, little(65535, 2)),
                                  entry("i16", GgufType::kI16, little(0x8000, 2)),
                                  entry("u32", GgufType::kU32, u32(0xffffffff)),
                                  entry("i32", GgufType::kI32, u32(0xfffffffe)),
                                  entry("f32", GgufType::kF32, float_bytes(-1.5f)),
                                  entry("bool", GgufType::kBool, little(1, 1)),
                                  text_entry("text", "light \xc3\xa9"),
                                  text_entry("empty", ""),
                                  entry("u64", GgufType::kU64, u64(1ull << 40)),
                                  entry("i64", GgufType::kI64, u64(~0ull)),
                                  entry("f64", GgufType::kF64, u64(std::bit_cast<uint64_t>(0.1))),
                              }});
  const auto integer = [&](const char* key) { return file[key].as_integer(INT64_MIN, INT64_MAX); };
  EXPECT_EQ(integer("u8"), 255);
  EXPECT_EQ(integer("i8"), -1);
  EXPECT_EQ(integer("u16"), 65535);
  EXPECT_EQ(integer("i16"), -32768);
  EXPECT_EQ(integer("u32"), 0xffffffff);
  EXPECT_EQ(integer("i32"), -2);
  EXPECT_EQ(file["f32"].as_number(), -1.5);
  EXPECT_TRUE(file["bool"].as_bool());
  EXPECT_EQ(file["text"].as_text(), "light \xc3\xa9");
  EXPECT_EQ(file["empty"].as_text(), "");
  EXPECT_EQ(integer("u64"), int64_t{1} << 40);
  EXPECT_EQ(integer("i64"), -1);
  EXPECT_EQ(file["f64"].as_number(), 0.1);
  EXPECT_EQ(file["i16"].as_number(), -32768);
  EXPECT_EQ(file.keys().size(), 13u);
  EXPECT_EQ(file.version(), 3);
}

TEST_F(Gguf, ArraysOfEveryKindAreRead) {
  const std::string inner = array_bytes(GgufType::kI8, 2, little(0xff02, 2));
  const GgufFile file =
      open({.metadata = {
                entry("texts", GgufType::kArray,
                      array_bytes(GgufType::kString, 3, text_bytes("a") + text_bytes("") + text_bytes("bc"))),
                entry("integers", GgufType::kArray, array_bytes(GgufType::kI32, 2, u32(7) + u32(0xffffffff))),
                entry("numbers", GgufType::kArray, array_bytes(GgufType::kF32, 2, float_bytes(0.5f) + float_bytes(-2))),
                entry("bools", GgufType::kArray, array_bytes(GgufType::kBool, 2, little(0x0100, 2))),
                entry("nested", GgufType::kArray, array_bytes(GgufType::kArray, 2, inner + inner)),
                entry("none", GgufType::kArray, array_bytes(GgufType::kString, 0, "")),
            }});
  EXPECT_EQ(file["texts"].as_texts(), (std::vector<std::string_view>{"a", "", "bc"}));
  EXPECT_EQ(file["integers"].as_integers(-1, 7), (std::vector<int64_t>{7, -1}));
  EXPECT_EQ(file["numbers"].as_numbers(), (std::vector<double>{0.5, -2}));
  EXPECT_EQ(file["bools"].value().element, GgufType::kBool);
  EXPECT_EQ(file["bools"].value().bytes.size(), 2u);
  EXPECT_EQ(file["nested"].value().element, GgufType::kArray);
  EXPECT_EQ(file["nested"].value().bytes.size(), 2 * inner.size());
  EXPECT_TRUE(file["none"].as_texts().empty());
}

TEST_F(Gguf, ReadingAnotherTypeNamesFileAndKey) {
  const GgufFile file =
      open({.metadata = {u32_entry("n", 5), text_entry("t", "five"), entry("big", GgufType::kU64, u64(~0ull)),
                         entry("a", GgufType::kArray, array_bytes(GgufType::kI32, 2, u32(1) + u32(9)))}});
  const auto failed = [](const auto& call) { return thrown<FormatError>(call); };
  EXPECT_EQ(failed([&] { file["n"].as_text(); }), error("n", "expected a string, found 5"));
  EXPECT_EQ(failed([&] { file["n"].as_integer(6, 9); }), error("n", "expected an integer from 6 to 9, found 5"));
  EXPECT_EQ(failed([&] { file["t"].as_integer(0, 9); }), error("t", "expected an integer from 0 to 9, found 'five'"));
  EXPECT_EQ(failed([&] { file["t"].as_number(); }), error("t", "expected a number, found 'five'"));
  EXPECT_EQ(failed([&] { file["t"].as_bool(); }), error("t", "expected true or false, found 'five'"));
  EXPECT_EQ(failed([&] { file["big"].as_integer(0, INT64_MAX); }),
            error("big", "expected an integer from 0 to 9223372036854775807, found 18446744073709551615"));
  EXPECT_EQ(failed([&] { file["a"].as_texts(); }), error("a", "expected an array of strings, found ARRAY of 2 INT32"));
  EXPECT_EQ(failed([&] { file["a"].as_integers(0, 5); }),
            error("a", "expected an array of integers from 0 to 5 (element 1 is 9), found ARRAY of 2 INT32"));
  EXPECT_EQ(failed([&] { file["absent"]; }), error("absent", "is missing"));
  EXPECT_FALSE(file.find("absent"));
}

TEST_F(Gguf, TensorsHaveTheirShapeReversedAndTheirOwnBytes) {
  std::string data(2 * 40 + 16, '\0');
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i);
  const GgufFile file = open({.tensors = {tensor_entry("q", {64, 2}, kQ4_1Id, 0), tensor_entry("v", {1}, kF32Id, 96)},
                              .data = padded(data) + "abcd"});
  const GgufTensor* q = file.find_tensor("q");
  ASSERT_NE(q, nullptr);
  EXPECT_EQ(q->shape, (std::vector<int64_t>{2, 64}));
  EXPECT_EQ(q->shape_text(), "[2, 64]");
  EXPECT_EQ(q->type, WeightType::kQ4_1);
  EXPECT_EQ(q->count(), 128);
  EXPECT_EQ(q->bytes.size(), 80u);
  EXPECT_EQ(std::to_integer<int>(q->bytes[79]), 79);
  EXPECT_EQ(std::to_integer<char>(file.find_tensor("v")->bytes[0]), 'a');
  EXPECT_EQ(file.find_tensor("absent"), nullptr);
  EXPECT_EQ(file.tensors()[1].name, "v");
}

// A tensor that says its own name in every byte, wherever the metadata ends.
TEST_F(Gguf, AlignmentIsHonouredForAnyLengthOfMetadata) {
  for (const uint64_t alignment : {8, 16, 32, 64, 128}) {
    for (size_t length = 0; length < 32; ++length) {
      GgufText text{
          .metadata = {u32_entry("general.alignment", alignment), text_entry("pad", std::string(length, 'x'))},
          .alignment = alignment};
      for (size_t i = 0; i < 3; ++i) {
        const uint64_t step = std::max<uint64_t>(16, alignment);
        text.tensors.push_back(tensor_entry(std::string(1, static_cast<char>('a' + i)), {4}, kF32Id, i * step));
        text.data.resize(i * step);
        text.data += std::string(16, static_cast<char>('a' + i));
      }
      const GgufFile file = open(text);
      for (const GgufTensor& tensor : file.tensors()) {
        for (const std::byte byte : tensor.bytes) ASSERT_EQ(std::to_integer<char>(byte), tensor.name[0]) << length;
      }
    }
  }
}

TEST_F(Gguf, LastTensorNeedsNoPaddingAndOthersAnyOrder) {
  const GgufFile file = open({.tensors = {tensor_entry("b", {1}, kF32Id, 64), tensor_entry("empty", {0, 4}, kF32Id, 64),
                                          tensor_entry("a", {1}, kF32Id, 0)},
                              .data = padded("aaaa", 64) + "bbbb"});
  EXPECT_EQ(std::to_integer<char>(file.find_tensor("a")->bytes[0]), 'a');
  EXPECT_EQ(std::to_integer<char>(file.find_tensor("b")->bytes[0]), 'b');
  EXPECT_EQ(file.find_tensor("empty")->count(), 0);
}

TEST_F(Gguf, VersionTwoAndFilesWithoutTensorsAreRead) {
  EXPECT_EQ(open({.version = 2}).version(), 2);
  EXPECT_TRUE(open({.metadata = {u32_entry("n", 1)}}).tensors().empty());
}

TEST_F(Gguf, ReleasedTensorsCanStillBeRead) {
  const std::string data(64 << 10, 'z');
  const GgufFile file = open({.tensors = {tensor_entry("t", {16 << 10}, kF32Id, 0)}, .data = data});
  const GgufTensor& tensor = file.tensors()[0];
  for (int round = 0; round < 2; ++round) {
    for (const std::byte byte : tensor.bytes) ASSERT_EQ(std::to_integer<char>(byte), 'z');
    file.release(tensor);
  }
}

// What GGML's own Python package wrote (tests/golden/make_gguf.py).
TEST_F(Gguf, FileOfThePackageIsReadAsItWasWritten) {
  const GgufFile file = GgufFile::open(LIMELIGHT_GOLDEN "/small.gguf");
  EXPECT_EQ(file["general.architecture"].as_text(), "llama");
  EXPECT_EQ(file["general.alignment"].as_integer(0, 100), 64);
  EXPECT_EQ(file["value.int16"].as_integer(-9, 9), -2);
  EXPECT_EQ(file["value.uint64"].as_integer(0, INT64_MAX), int64_t{1} << 40);
  EXPECT_EQ(file["value.float64"].as_number(), 0.1);
  EXPECT_EQ(file["value.string"].as_text(), "light \xc3\xa9");
  EXPECT_TRUE(file["value.bool"].as_bool());
  EXPECT_EQ(file["array.string"].as_texts(), (std::vector<std::string_view>{"a", "", "bc"}));
  EXPECT_EQ(file["array.int32"].as_integers(-2, 3), (std::vector<int64_t>{1, -2, 3}));
  EXPECT_EQ(file["array.bool"].value().count, 2u);
  ASSERT_EQ(file.tensors().size(), 8u);
  for (const GgufTensor& tensor : file.tensors()) {
    SCOPED_TRACE(std::string(tensor.name));
    ASSERT_EQ(tensor.name, "weights." + std::string(weight_type_name(tensor.type)));
    ASSERT_EQ(tensor.shape, (std::vector<int64_t>{3, 64}));
    std::vector<float> weights(3 * 64);
    dequantise(tensor.bytes.data(), tensor.type, tensor.count(), weights.data());
    // Half a step of 4 bits over the range -2 to 2.
    for (int i = 0; i < 3 * 64; ++i) ASSERT_NEAR(weights[static_cast<size_t>(i)], (i * 7 % 17 - 8) / 4.0, 0.27) << i;
  }
}

TEST_F(Gguf, MissingFileIsAFileError) {
  EXPECT_THROW(GgufFile::open(path()), FileError);
}

}  // namespace
}  // namespace limelight::testing
