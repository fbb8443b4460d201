// UTF-8: what is well formed is read, all else is refused at its first byte.
#include "model/utf8.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace limelight {
namespace {

std::string encode(char32_t c) {
  std::string bytes;
  if (c < 0x80) {
    bytes = {static_cast<char>(c)};
  } else if (c < 0x800) {
    bytes = {static_cast<char>(0xC0 | (c >> 6)), static_cast<char>(0x80 | (c & 63))};
  } else if (c < 0x10000) {
    bytes = {static_cast<char>(0xE0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 63)),
             static_cast<char>(0x80 | (c & 63))};
  } else {
    bytes = {static_cast<char>(0xF0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 63)),
             static_cast<char>(0x80 | ((c >> 6) & 63)), static_cast<char>(0x80 | (c & 63))};
  }
  return bytes;
}

bool is_surrogate(char32_t c) {
  return c >= 0xD800 && c < 0xE000;
}

TEST(Utf8, EveryCodePointComesBackWithItsBytes) {
  std::string text;
  std::u32string expected;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (is_surrogate(c)) continue;
    text += encode(c);
    expected += c;
  }
  const detail::Characters characters = detail::decode_utf8(text, "test");
  EXPECT_TRUE(characters.codes == expected);
  ASSERT_EQ(characters.spans.size(), expected.size());
  int64_t at = 0;
  bool adjacent = true;
  for (const Span& span : characters.spans) {
    adjacent = adjacent && span.begin == at && span.end > at;
    at = span.end;
  }
  EXPECT_TRUE(adjacent);
  EXPECT_EQ(at, static_cast<int64_t>(text.size()));
}

TEST(Utf8, EveryInvalidSequenceIsRefusedAtItsByte) {
  const std::vector<std::string> invalid = {
      "\x80",
      "\xBF",
      "\xFE",
      "\xFF",  // no lead byte
      "\xC0\x80",
      "\xC1\xBF",
      "\xE0\x9F\xBF",
      "\xF0\x8F\xBF\xBF",  // overlong
      "\xED\xA0\x80",
      "\xED\xBF\xBF",  // surrogates
      "\xF4\x90\x80\x80",
      "\xF5\x80\x80\x80",
      "\xF8\x88\x80\x80\x80",  // beyond U+10FFFF
      "\xC3",
      "\xE2\x82",
      "\xF0\x9F\x98",
      "\xE2",  // truncated
      "\xC3(",
      "\xE2\x82(",
      "\xF0\x9F(\x80",
      "\xE2(\xA1",  // cut by another character
  };
  for (const std::string& bytes : invalid) {
    for (const char* after : {"", "z"}) {
      try {
        detail::decode_utf8("a\xC3\xA9" + bytes + after, "encode");
        ADD_FAILURE() << "accepted " << ::testing::PrintToString(bytes);
      } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(), "[encode] text: expected UTF-8, found an invalid sequence at byte 3");
      }
    }
  }
}

TEST(Utf8, CodePointsCountsWhatStandsBefore) {
  const std::string text = "a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80!";
  EXPECT_EQ(code_points(text, 0), 0);
  EXPECT_EQ(code_points(text, 1), 1);
  EXPECT_EQ(code_points(text, 3), 2);
  EXPECT_EQ(code_points(text, 6), 3);
  EXPECT_EQ(code_points(text, 10), 4);
  EXPECT_EQ(code_points(text, 11), 5);
  EXPECT_EQ(code_points("", 0), 0);
}

TEST(Utf8, CodePointsRefusesOffsetsOutsideOrInsideACharacter) {
  EXPECT_THROW(code_points("ab", 3), std::invalid_argument);
  EXPECT_THROW(code_points("ab", -1), std::invalid_argument);
  EXPECT_THROW(code_points("\xC3\xA9", 1), std::invalid_argument);
}

}  // namespace
}  // namespace limelight
