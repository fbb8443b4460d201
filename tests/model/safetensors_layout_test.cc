// What a safetensors file must promise before a byte of it is used: lengths, header, ranges.
#include <gtest/gtest.h>

#include <chrono>

#include "limelight/error.h"
#include "tests/model/safetensors_bytes.h"
#include "tests/model/thrown.h"

namespace limelight::testing {
namespace {

std::string error_of(const std::string& bytes) {
  return thrown<FormatError>([&] { parse(bytes); });
}

// A file of one tensor x with these fields, and 16 bytes of data.
std::string error_of_tensor(const std::string& fields) {
  return error_of(file_bytes("{\"x\":{" + fields + "}}", std::string(16, 'd')));
}

TEST(SafetensorsLayout, HeaderLengthIsNeverTrusted) {
  const std::string rest(12, ' ');
  const std::string limit = "f: is not a safetensors file: header length: expected at most 268435456, found ";
  EXPECT_EQ(error_of(std::string(8, '\xff') + rest), limit + "18446744073709551615");
  EXPECT_EQ(error_of(length_bytes(UINT64_MAX - 3) + rest), limit + "18446744073709551612");
  EXPECT_EQ(error_of(length_bytes((256 << 20) + 1) + rest), limit + "268435457");
  EXPECT_EQ(error_of(length_bytes(13) + rest),
            "f: header length: expected at most the 12 bytes after it, found 13: 1 bytes are missing");
  EXPECT_EQ(error_of(length_bytes(132095296) + rest),
            "f: header length: expected at most the 12 bytes after it, found 132095296: 132095284 bytes are missing");
  EXPECT_EQ(error_of(length_bytes(0) + rest), "f: header length: expected at least 2, found 0");
}

TEST(SafetensorsLayout, FileBelowEightBytesIsRefused) {
  for (size_t size = 0; size < 8; ++size) {
    EXPECT_EQ(error_of(std::string(size, '\0')), "f: expected at least 8 bytes, found " + std::to_string(size));
  }
}

TEST(SafetensorsLayout, OtherKindOfFileIsNamed) {
  const auto hint = [](const std::string& bytes) {
    const std::string error = error_of(bytes);
    return error.substr(std::min(error.size(), error.find(';')));
  };
  EXPECT_EQ(hint("PK\x03\x04\x14\x00\x00\x08 and so on"),
            "; it looks like a zip archive, as PyTorch's checkpoints are");
  EXPECT_EQ(hint("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
            "; it is a Git LFS pointer: get the file itself (git lfs pull)");
  EXPECT_EQ(hint("GGUF\x03"), "; it looks like a GGUF file");
  EXPECT_EQ(hint(std::string("\xff\0\0\0\0\0\0\0{\"a\"", 12)), "") << "only cut off";
  EXPECT_EQ(hint("<!DOCTYPE html><html></html>"), "; it looks like a web page");
}

TEST(SafetensorsLayout, PublishedHeaderOf126MegabytesIsRead) {
  std::string header = "{}";
  header.resize(132095296, ' ');
  EXPECT_TRUE(parse(file_bytes(header, "")).tensors.empty());
}

TEST(SafetensorsLayout, HeaderIsOneJsonObject) {
  const auto error = [](const std::string& header) { return error_of(file_bytes(header, "")); };
  EXPECT_EQ(error("[]"), "f: header: expected '{' at its start");
  EXPECT_EQ(error(" {}"), "f: header: expected '{' at its start");
  EXPECT_EQ(error("\xef\xbb\xbf{}"), "f: header: expected '{' at its start");
  EXPECT_EQ(error(std::string("{}\0x", 4)), "f: header: expected JSON in UTF-8, found a NUL byte");
  EXPECT_EQ(error("{\"\xff\":1}"), "f: header: expected JSON in UTF-8, found a fault at byte 3 of it");
  EXPECT_EQ(error("{} {}"), "f: header: expected JSON in UTF-8, found a fault at byte 4 of it");
  EXPECT_EQ(error("{\"a\":"), "f: header: expected JSON in UTF-8, found a fault at byte 6 of it");
  EXPECT_EQ(error("{\"__metadata__\":3}"), "f: __metadata__: expected an object, found 3");
  EXPECT_EQ(error("{\"__metadata__\":{\"k\":3}}"), "f: __metadata__ 'k': expected a string, found 3");
  EXPECT_EQ(error("{\"__metadata__\":{\"k\":\"\",\"k\":\"\"}}"), "f: __metadata__ 'k': is there twice");
  EXPECT_TRUE(parse(file_bytes("{}   ", "")).tensors.empty());
}

TEST(SafetensorsLayout, FieldsHaveTheirTypes) {
  const std::string good = R"("dtype":"F32","shape":[4],"data_offsets":[0,16])";
  EXPECT_EQ(error_of_tensor(good), "(nothing was thrown)");
  EXPECT_EQ(error_of_tensor(R"("shape":[4],"data_offsets":[0,16])"), "f: tensor 'x' dtype: is missing");
  EXPECT_EQ(error_of_tensor(R"("dtype":"F32","data_offsets":[0,16])"), "f: tensor 'x' shape: is missing");
  EXPECT_EQ(error_of_tensor(R"("dtype":"F32","shape":[4])"), "f: tensor 'x' data_offsets: is missing");
  EXPECT_EQ(error_of_tensor(good + R"(,"shape":[4])"), "f: tensor 'x' shape: is there twice");
  EXPECT_EQ(error_of_tensor(good + R"(,"note":1)"),
            "f: tensor 'x': expected dtype, shape and data_offsets, found 'note'");
  EXPECT_EQ(error_of_tensor(R"("dtype":3)"), "f: tensor 'x' dtype: expected a string, found 3");
  EXPECT_EQ(error_of_tensor(R"("dtype":["F32"])"), "f: tensor 'x' dtype: expected a string, found a list");
  EXPECT_EQ(
      error_of_tensor(R"("dtype":"F8_E4M3")"),
      "f: tensor 'x' dtype: expected one of BOOL, U8, I8, I16, U16, F16, BF16, I32, U32, F32, I64, U64, F64, found "
      "'F8_E4M3'");
  EXPECT_EQ(error_of_tensor(R"("shape":null)"), "f: tensor 'x' shape: expected a list of numbers, found null");
  EXPECT_EQ(error_of_tensor(R"("shape":{})"), "f: tensor 'x' shape: expected a list of numbers, found an object");
  EXPECT_EQ(error_of_tensor(R"("shape":[true])"), "f: tensor 'x' shape: expected whole numbers from 0, found true");
  EXPECT_EQ(error_of_tensor(R"("shape":[[[4]]])"), "f: tensor 'x' shape: expected whole numbers from 0, found a list");
  EXPECT_EQ(error_of_tensor(R"("shape":[-4])"), "f: tensor 'x' shape: expected whole numbers from 0, found -4");
  EXPECT_EQ(error_of_tensor(R"("shape":[4.0])"), "f: tensor 'x' shape: expected whole numbers from 0, found 4.0");
}

TEST(SafetensorsLayout, DepthOfNestingCostsNothing) {
  const std::string deep(1 << 20, '[');
  EXPECT_EQ(error_of_tensor("\"shape\":" + deep), "f: tensor 'x' shape: expected whole numbers from 0, found a list");
  std::string sizes = "1";
  for (int axis = 1; axis < 65; ++axis) sizes += ",1";
  EXPECT_EQ(error_of_tensor("\"shape\":[" + sizes + "]"),
            "f: tensor 'x' shape: expected at most 64 numbers, found more");
}

TEST(SafetensorsLayout, RangeFitsFileAndShape) {
  const auto error = [](const std::string& shape, const std::string& offsets) {
    return error_of_tensor(R"("dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets);
  };
  const std::string offsets = "f: tensor 'x' data_offsets: expected ";
  EXPECT_EQ(error("[1]", "[-1,4]"), offsets + "whole numbers from 0, found -1");
  EXPECT_EQ(error("[1]", "[0,4.5]"), offsets + "whole numbers from 0, found 4.5");
  EXPECT_EQ(error("[1]", "[8,4]"), offsets + "begin <= end, found [8, 4]");
  EXPECT_EQ(error("[1]", "[4]"), offsets + "2 numbers, found 1");
  EXPECT_EQ(error("[1]", "[0,4,8]"), offsets + "2 numbers, found 3");
  EXPECT_EQ(error("[1]", "[0,9223372036854775808]"),
            offsets +
                "an end within the file's 16 bytes of data, found [0, 9223372036854775808]: 9223372036854775792 "
                "bytes are missing");
  EXPECT_EQ(error("[1000,1000]", "[0,4]"), offsets + "4000000 bytes for F32 [1000, 1000], found [0, 4]");
  EXPECT_EQ(error("[4294967296,4294967296]", "[0,0]"),
            "f: tensor 'x' shape: expected a product of at most 2^60 bytes, found [4294967296, 4294967296]");
  EXPECT_EQ(error("[18446744073709551615]", "[0,16]"),
            "f: tensor 'x' shape: expected a product of at most 2^60 bytes, found [18446744073709551615]");
  EXPECT_EQ(error("[1e30]", "[0,16]"), "f: tensor 'x' shape: expected whole numbers from 0, found 1e30");
}

std::string entry(const std::string& name, int64_t begin, int64_t end) {
  return "\"" + name + R"(":{"dtype":"U8","shape":[)" + std::to_string(end - begin) + R"(],"data_offsets":[)" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

TEST(SafetensorsLayout, TensorsCoverTheDataOnce) {
  const auto error = [](const std::string& entries) { return error_of(file_bytes("{" + entries + "}", "0123456789")); };
  EXPECT_EQ(error(entry("k_proj", 0, 10) + "," + entry("v_proj", 0, 10)),
            "f: tensor 'v_proj' data_offsets: expected to begin at 10, where the tensor before ends, found 0");
  EXPECT_EQ(error(entry("a", 0, 4) + "," + entry("b", 3, 10)),
            "f: tensor 'b' data_offsets: expected to begin at 4, where the tensor before ends, found 3");
  EXPECT_EQ(error(entry("a", 0, 4) + "," + entry("b", 8, 10)),
            "f: tensor 'b' data_offsets: expected to begin at 4, where the tensor before ends, found 8");
  EXPECT_EQ(error(entry("a", 1, 10)),
            "f: tensor 'a' data_offsets: expected to begin at 0, where the tensor before ends, found 1");
  EXPECT_EQ(error(entry("a", 0, 9)), "f: expected the last tensor to end the file, found 1 bytes after it");
  EXPECT_EQ(error(""), "f: expected the last tensor to end the file, found 10 bytes after it");
  EXPECT_EQ(error(entry("a", 0, 5) + "," + entry("a", 5, 10)), "f: tensor 'a': is there twice");
}

TEST(SafetensorsLayout, AnyOrderOfEntriesAndEmptyTensorsAreGood) {
  const std::string empty = R"("none":{"dtype":"F32","shape":[0,4],"data_offsets":[4,4]})";
  const std::string bytes =
      file_bytes("{" + entry("b", 4, 10) + "," + empty + "," + entry("a", 0, 4) + "}", "0123456789");
  const auto contents = parse(bytes);
  ASSERT_EQ(contents.tensors.size(), 3u);
  EXPECT_EQ(contents.tensors[0].name, "a");
  EXPECT_EQ(contents.tensors[1].name, "none");
  EXPECT_EQ(contents.tensors[1].count(), 0);
  EXPECT_EQ(contents.tensors[2].name, "b");
  EXPECT_EQ(static_cast<char>(contents.tensors[2].bytes[0]), '4');
}

TEST(SafetensorsLayout, NamesInMessagesStayOneShortLine) {
  const std::string name = "a\\nb" + std::string(500, 'c');
  const std::string error = error_of(file_bytes("{\"" + name + "\":1}", ""));
  EXPECT_EQ(error, "f: tensor 'a?b" + std::string(97, 'c') + "...': expected an object, found 1");
}

}  // namespace
}  // namespace limelight::testing
