// Damaged and hostile GGUF files: one error that names file and field, at once, whatever the counts say.
#include <gtest/gtest.h>

#include <ctime>
#include <random>

#include "limelight/error.h"
#include "tests/model/gguf_bytes.h"
#include "tests/model/thrown.h"

namespace limelight::testing {
namespace {

// What is said of these bytes, within a tenth of a second of work (far more than it takes, far less than a hang).
std::string refused(const std::string& bytes) {
  const std::clock_t begin = std::clock();
  const std::string message = thrown<FormatError>([&] { parse_gguf_bytes(bytes); });
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC / 10);
  return message;
}

std::string refused(const GgufText& text) {
  return refused(text.bytes());
}

std::string with_tensor(const std::string& tensor, const std::string& data = std::string(64, 'd')) {
  return refused(GgufText{.tensors = {tensor}, .data = data});
}

constexpr uint64_t kHuge[] = {uint64_t{1} << 30, uint64_t{1} << 63, ~uint64_t{0}};

TEST(GgufDamage, OtherFilesAreNoGguf) {
  EXPECT_EQ(refused(std::string("")), "f: header: expected 4 more bytes, found 0: 4 bytes are missing");
  EXPECT_TRUE(refused("version https://git-lfs.github.com/spec/v1\n")
                  .ends_with("Git LFS pointer: get the file itself "
                             "(git lfs pull)"));
  EXPECT_EQ(refused(std::string("PKab....")), "f: header: expected 'GGUF' at the start of the file, found 'PKab'");
  EXPECT_EQ(refused(u64(2) + "{}"),
            "f: header: expected 'GGUF' at the start of the file, found '???"
            "?'"
            "; it looks like a safetensors file");
  EXPECT_EQ(refused("GGUF" + u32(1) + u64(0) + u64(0)), "f: version: expected 2 or 3, found 1");
  EXPECT_EQ(refused("GGUF" + u32(0x03000000) + u64(0) + u64(0)),
            "f: version: expected a little-endian file, found a big-endian one");
}

TEST(GgufDamage, CountsAreBoundedByTheFile) {
  for (const uint64_t count : kHuge) {
    const std::string found = ", found " + std::to_string(count);
    EXPECT_EQ(refused(header(0, count) + std::string(100, '\0')),
              "f: metadata count: expected at most the 7 that fit the file" + found);
    EXPECT_EQ(refused(header(count, 0) + std::string(100, '\0')),
              "f: tensor count: expected at most the 3 that fit the file" + found);
    EXPECT_EQ(refused(GgufText{.metadata = {entry("k", GgufType::kString, u64(count))}}),
              "f: metadata 'k': expected " + std::to_string(count) + " more bytes, found 0: " + std::to_string(count) +
                  " bytes are missing");
    for (const GgufType element : {GgufType::kU8, GgufType::kF64, GgufType::kString, GgufType::kArray}) {
      EXPECT_EQ(refused(GgufText{.metadata = {entry("k", GgufType::kArray, array_bytes(element, count, ""))}}),
                "f: metadata 'k': expected at most the 0 elements that fit the file" + found);
    }
    EXPECT_EQ(refused(header(0, 1) + u64(count) + std::string(40, 'k')),
              "f: metadata number 0: expected a name of 1 to 65535 bytes" + found);
  }
}

TEST(GgufDamage, ArraysNestOnlySoDeep) {
  for (const int depth : {8, 9, 1000, 100000}) {
    std::string value;
    for (int i = 1; i < depth; ++i) value += array_bytes(GgufType::kArray, 1, "");
    value += array_bytes(GgufType::kU8, 1, "x");
    const GgufText text{.metadata = {entry("k", GgufType::kArray, value)}};
    EXPECT_EQ(refused(text),
              depth == 8 ? "(nothing was thrown)" : "f: metadata 'k': expected at most 8 levels of arrays, found more");
  }
}

TEST(GgufDamage, UnknownTypesAreNamed) {
  EXPECT_EQ(refused(GgufText{.metadata = {text_bytes("k") + u32(99) + "x"}}),
            "f: metadata 'k': expected a type from 0 to 12, found 99");
  EXPECT_EQ(refused(GgufText{.metadata = {entry("k", GgufType::kArray, u32(99) + u64(1) + "x")}}),
            "f: metadata 'k': expected a type from 0 to 12, found 99");
  EXPECT_EQ(refused(GgufText{.metadata = {entry("k", GgufType::kBool, "\x02")}}),
            "f: metadata 'k': expected 0 or 1 for a BOOL, found 2");
  const std::string list = "a type of F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q6_K";
  EXPECT_EQ(with_tensor(tensor_entry("t", {256}, 13, 0)), "f: tensor 't': expected " + list + ", found Q5_K");
  EXPECT_EQ(with_tensor(tensor_entry("t", {256}, 99, 0)), "f: tensor 't': expected " + list + ", found number 99");
}

TEST(GgufDamage, ShapesAreChecked) {
  EXPECT_EQ(with_tensor(text_bytes("t") + u32(0) + std::string(24, '\0')),
            "f: tensor 't': expected 1 to 4 axes, found 0");
  for (const uint64_t axes : {5, 9}) {
    EXPECT_EQ(with_tensor(tensor_entry("t", std::vector<uint64_t>(axes, 1), 0, 0)),
              "f: tensor 't': expected 1 to 4 axes, found " + std::to_string(axes));
  }
  EXPECT_EQ(with_tensor(text_bytes("t") + u32(0xffffffff) + std::string(24, '\0')),
            "f: tensor 't': expected 1 to 4 axes, found 4294967295");
  EXPECT_EQ(with_tensor(tensor_entry("t", {~uint64_t{0}, 2, 1, 1}, kF32Id, 0)),
            "f: tensor 't': expected a product of sizes of at most 2^60, found size 18446744073709551615 on axis 0");
  // A product that would wrap to a small one, also behind a size of 0.
  const uint64_t half = uint64_t{1} << 32;
  EXPECT_EQ(with_tensor(tensor_entry("t", {half, half}, kF32Id, 0)),
            "f: tensor 't': expected a product of sizes of at most 2^60, found size 4294967296 on axis 1");
  EXPECT_EQ(with_tensor(tensor_entry("t", {0, half, half}, kF32Id, 0)),
            "f: tensor 't': expected a product of sizes of at most 2^60, found size 4294967296 on axis 2");
  EXPECT_EQ(with_tensor(tensor_entry("t", {uint64_t{1} << 60}, kF32Id, 0)),
            "f: tensor 't': expected at most 2^60 bytes, found [1152921504606846976]");
}

TEST(GgufDamage, RowsAreWholeBlocks) {
  const std::string expected = "f: tensor 't': expected rows of whole blocks of 32 Q8_0, found rows of ";
  EXPECT_EQ(with_tensor(tensor_entry("t", {33}, kQ8_0Id, 0)), expected + "33");
  EXPECT_EQ(with_tensor(tensor_entry("t", {3, 64}, kQ8_0Id, 0)), expected + "3");
  EXPECT_EQ(with_tensor(tensor_entry("t", {64, 3}, kQ8_0Id, 0), std::string(3 * 2 * 34, 'd')), "(nothing was thrown)");
  EXPECT_EQ(
      with_tensor(tensor_entry("t", {64, 3}, kQ8_0Id, 0), std::string(3 * 2 * 34 - 1, 'd')),
      "f: tensor 't': expected an end within the file's 203 bytes of data, found 204 bytes at offset 0: 1 bytes are "
      "missing");
}

TEST(GgufDamage, NamesAreTheirOwn) {
  EXPECT_EQ(refused(GgufText{.metadata = {u32_entry("k", 1), u32_entry("k", 1)}}),
            "f: metadata 'k': expected a key of its own, found it twice");
  EXPECT_EQ(refused(GgufText{.tensors = {tensor_entry("t", {1}, 0, 0), tensor_entry("t", {1}, 0, 32)},
                             .data = std::string(64, 'd')}),
            "f: tensor 't': expected a name of its own, found it twice");
  EXPECT_EQ(refused(GgufText{.metadata = {u32_entry("", 1), u32_entry("a", 1)}}),
            "f: metadata number 0: expected a name of 1 to 65535 bytes, found 0");
}

TEST(GgufDamage, AlignmentIsAPowerOfTwo) {
  for (const uint64_t alignment :
       {uint64_t{0}, uint64_t{3}, uint64_t{4}, uint64_t{24}, uint64_t{1} << 31, uint64_t{0xffffffff}}) {
    EXPECT_EQ(
        refused(GgufText{.metadata = {u32_entry("general.alignment", alignment)}}),
        "f: metadata 'general.alignment': expected a power of two from 8 to 65536, found " + std::to_string(alignment));
  }
  EXPECT_EQ(refused(GgufText{.metadata = {entry("general.alignment", GgufType::kU64, u64(32))}}),
            "f: metadata 'general.alignment': expected UINT32, found UINT64");
}

TEST(GgufDamage, TensorsLieWithinTheFileAndApart) {
  EXPECT_EQ(with_tensor(tensor_entry("t", {4}, kF32Id, 8)),
            "f: tensor 't': expected an offset that is a multiple of 32, found 8");
  EXPECT_EQ(
      with_tensor(tensor_entry("t", {17}, kF32Id, 0)),
      "f: tensor 't': expected an end within the file's 64 bytes of data, found 68 bytes at offset 0: 4 bytes are "
      "missing");
  for (const uint64_t offset : {uint64_t{64}, uint64_t{1} << 63, ~uint64_t{31}}) {
    EXPECT_NE(with_tensor(tensor_entry("t", {4}, kF32Id, offset)).find("f: tensor 't': expected an end within"),
              std::string::npos);
  }
  EXPECT_EQ(refused(GgufText{.tensors = {tensor_entry("a", {16}, kF32Id, 0), tensor_entry("b", {8}, kF32Id, 32)},
                             .data = std::string(64, 'd')}),
            "f: tensor 'b': expected an offset of at least 64, where the tensor before ends, found 32");
}

std::string good_file() {
  return GgufText{.metadata = {text_entry("general.architecture", "llama"), u32_entry("general.alignment", 16),
                               entry("tokens", GgufType::kArray,
                                     array_bytes(GgufType::kString, 2, text_bytes("ab") + text_bytes("c"))),
                               entry("nested", GgufType::kArray,
                                     array_bytes(GgufType::kArray, 1, array_bytes(GgufType::kBool, 2, little(1, 2))))},
                  .tensors = {tensor_entry("a", {32, 2}, kQ4_1Id, 0), tensor_entry("b", {3}, kF32Id, 48)},
                  .data = std::string(60, 'd'),
                  .alignment = 16}
      .bytes();
}

// Whether they are taken; then every tensor's bytes fit its shape and the file.
bool taken(const std::string& bytes) {
  detail::GgufContents contents;
  try {
    contents = parse_gguf_bytes(bytes);
  } catch (const FormatError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 3), "f: ");
    return false;
  }
  for (const GgufTensor& tensor : contents.tensors) {
    int64_t count = 1;
    for (const int64_t size : tensor.shape) count *= size;
    EXPECT_EQ(count, tensor.count());
    if (!tensor.bytes.empty()) {
      EXPECT_GE(reinterpret_cast<const char*>(tensor.bytes.data()), bytes.data());
      EXPECT_LE(reinterpret_cast<const char*>(tensor.bytes.data()) + tensor.bytes.size(), bytes.data() + bytes.size());
    }
  }
  return true;
}

TEST(GgufDamage, EveryTruncationIsRefused) {
  const std::string whole = good_file();
  ASSERT_TRUE(taken(whole));
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(taken(whole.substr(0, size))) << size;
}

TEST(GgufDamage, FlippedBitsAndRandomEditsNeverBreakTheReader) {
  const std::string whole = good_file();
  int refusals = 0;
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    refusals += !taken(bytes);
  }
  EXPECT_GT(refusals, 500);
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = whole;
    for (size_t n = 1 + random() % 3; n > 0; --n) {
      const size_t at = random() % bytes.size();
      if (random() % 2 == 0) {
        bytes.replace(at, std::min<size_t>(8, bytes.size() - at), little(random() % 4 == 0 ? ~0ull : random() % 64, 8));
      } else {
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 40));
      }
    }
    taken(bytes);
  }
}

}  // namespace
}  // namespace limelight::testing
