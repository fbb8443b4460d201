// Damaged files: whatever is cut, flipped or shuffled, the answer is a FormatError or a file that keeps every promise.
#include <gtest/gtest.h>

#include <random>

#include "limelight/error.h"
#include "limelight/safetensors.h"
#include "tests/model/safetensors_bytes.h"
#include "tests/model/temporary_folder.h"
#include "tests/model/thrown.h"

namespace limelight::testing {
namespace {

const std::string kHeader =
    R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
    R"("b":{"dtype":"U8","shape":[5],"data_offsets":[24,29]},"c":{"dtype":"I64","shape":[],"data_offsets":[29,37]}})";

std::string good_file() {
  return file_bytes(kHeader, std::string(37, '\x3f'));
}

// Reads `bytes`; when they are taken, what they hold is consistent. Returns whether they were.
bool taken(const std::string& bytes) {
  detail::SafetensorsContents contents;
  try {
    contents = parse(bytes);
  } catch (const FormatError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 3), "f: ");
    return false;
  }
  size_t total = 0;
  for (const TensorInfo& info : contents.tensors) {
    int64_t count = 1;
    for (int64_t size : info.shape) count *= size;
    EXPECT_EQ(count, info.count());
    EXPECT_EQ(static_cast<size_t>(count * dtype_bytes(info.dtype)), info.bytes.size());
    total += info.bytes.size();
  }
  const size_t header = bytes.size() - 8 - total;
  EXPECT_EQ(bytes.substr(0, 8), length_bytes(header));
  return true;
}

TEST(SafetensorsDamage, EveryTruncationIsRefused) {
  const std::string whole = good_file();
  ASSERT_TRUE(taken(whole));
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(taken(whole.substr(0, size))) << size;
}

TEST(SafetensorsDamage, TruncationNamesFileTensorAndMissingBytes) {
  const TemporaryFolder folder;
  const auto path = folder / "cut.safetensors";
  const std::string whole = good_file();
  const auto error = [&](size_t cut) {
    write_text(path, whole.substr(0, whole.size() - cut));
    return thrown<FormatError>([&] { SafetensorsFile::open(path); });
  };
  const std::string name = path.string();
  for (size_t cut : {1, 37 / 2, 37}) {
    EXPECT_EQ(error(cut), name + ": tensor 'c' data_offsets: expected an end within the file's " +
                              std::to_string(37 - cut) + " bytes of data, found [29, 37]: " + std::to_string(cut) +
                              " bytes are missing");
  }
  EXPECT_EQ(error(37 + 9), name + ": header length: expected at most the " + std::to_string(kHeader.size() - 9) +
                               " bytes after it, found " + std::to_string(kHeader.size()) + ": 9 bytes are missing");
}

TEST(SafetensorsDamage, EveryFlippedBitIsRefusedOrHarmless) {
  const std::string whole = good_file();
  const size_t header_end = 8 + kHeader.size();
  int refused = 0;
  for (size_t byte = 0; byte < whole.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = whole;
      bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << bit));
      const bool good = taken(bytes);
      refused += !good;
      if (byte < 8 || byte >= header_end) {
        EXPECT_EQ(good, byte >= header_end) << byte;
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(SafetensorsDamage, RandomHeadersNeverBreakTheReader) {
  const std::string pieces[] = {"{",
                                "}",
                                "[",
                                "]",
                                ",",
                                ":",
                                "\"a\"",
                                "\"b\"",
                                "\"dtype\"",
                                "\"shape\"",
                                "\"data_offsets\"",
                                "\"F32\"",
                                "\"U8\"",
                                "0",
                                "4",
                                "24",
                                "-1",
                                "1e9",
                                "18446744073709551615",
                                "null",
                                "true",
                                "\"__metadata__\"",
                                "\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}",
                                " ",
                                "\\",
                                "\xff"};
  std::mt19937 random(1);
  for (int round = 0; round < 30000; ++round) {
    std::string header = "{";
    for (size_t n = random() % 16; n > 0; --n) header += pieces[random() % std::size(pieces)];
    taken(file_bytes(header, std::string(random() % 3 * 4, 'd')));
  }
}

TEST(SafetensorsDamage, RandomEditsNeverBreakTheReader) {
  std::mt19937 random(2);
  const std::string digits = "0123456789-[]{},:\"";
  for (int round = 0; round < 30000; ++round) {
    std::string header = kHeader;
    for (size_t n = 1 + random() % 3; n > 0; --n) {
      const size_t at = random() % header.size();
      switch (random() % 3) {
        case 0:
          header.erase(at, 1 + random() % 4);
          break;
        case 1:
          header.insert(at, header.substr(random() % header.size(), random() % 60));
          break;
        default:
          header[at] = digits[random() % digits.size()];
      }
      if (header.empty()) header = "{}";
    }
    taken(file_bytes(header, std::string(37, '\x3f')));
  }
}

}  // namespace
}  // namespace limelight::testing
