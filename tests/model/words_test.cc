// The words of a text: what a reader calls one, whatever the model.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "limelight/tokenizer.h"

namespace limelight {
namespace {

using namespace std::string_literals;

using Words = std::vector<std::string>;

Words words(const std::string& text) {
  Words result;
  for (const Span& span : words_of(text)) {
    result.push_back(text.substr(static_cast<size_t>(span.begin), static_cast<size_t>(span.end - span.begin)));
  }
  return result;
}

TEST(Words, ApostropheBetweenLettersStaysInside) {
  EXPECT_EQ(words("The animal didn't, it was tired."),
            (Words{"The", "animal", "didn't", ",", "it", "was", "tired", "."}));
  EXPECT_EQ(words("didn\u2019t"), (Words{"didn\u2019t"}));
  EXPECT_EQ(words("rock'n'roll"), (Words{"rock'n'roll"}));
  EXPECT_EQ(words("cafe\u0301's"), (Words{"cafe\u0301's"}));
}

TEST(Words, ApostropheElsewhereIsAlone) {
  EXPECT_EQ(words("'tis the dogs' a''b 5'10 90's '"),
            (Words{"'", "tis", "the", "dogs", "'", "a", "'", "'", "b", "5", "'", "10", "90", "'", "s", "'"}));
}

TEST(Words, MarksBelongToTheirLetters) {
  EXPECT_EQ(words("nai\u0308ve \u0939\u093f\u0928\u094d\u0926\u0940"),
            (Words{"nai\u0308ve", "\u0939\u093f\u0928\u094d\u0926\u0940"}));
  EXPECT_EQ(words(" \u0301"), (Words{"\u0301"}));
}

TEST(Words, EveryOtherVisibleCharacterIsAlone) {
  EXPECT_EQ(words("snake_case x=$1,234.5%"),
            (Words{"snake", "_", "case", "x", "=", "$", "1", ",", "234", ".", "5", "%"}));
  EXPECT_EQ(words("--\u2026\u00bf"), (Words{"-", "-", "\u2026", "\u00bf"}));
  EXPECT_EQ(words("=\u0338a"), (Words{"=\u0338", "a"}));
  EXPECT_EQ(words("x\u00b23 \u0661\u0662\u0663"), (Words{"x\u00b23", "\u0661\u0662\u0663"}));
}

TEST(Words, EachChineseCharacterIsAlone) {
  EXPECT_EQ(words("\u65e5\u672c\u8a9e\u3068emoji"), (Words{"\u65e5", "\u672c", "\u8a9e", "\u3068emoji"}));
  EXPECT_EQ(words("\U00020000\u4e00\u3005"), (Words{"\U00020000", "\u4e00", "\u3005"}));
  EXPECT_EQ(words("\ud55c\uad6d\uc5b4 \u30c6\u30ec\u30d3"), (Words{"\ud55c\uad6d\uc5b4", "\u30c6\u30ec\u30d3"}));
}

TEST(Words, AnEmojiIsOneWordHoweverItIsJoined) {
  EXPECT_EQ(words("\U0001f600\U0001f600a"), (Words{"\U0001f600", "\U0001f600", "a"}));
  EXPECT_EQ(words("\U0001f469\u200d\U0001f4bb\u2764\ufe0f"), (Words{"\U0001f469\u200d\U0001f4bb", "\u2764\ufe0f"}));
  EXPECT_EQ(words("\U0001f44d\U0001f3fd!"), (Words{"\U0001f44d\U0001f3fd", "!"}));
  EXPECT_EQ(words("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7"), (Words{"\U0001f1e9\U0001f1ea", "\U0001f1eb\U0001f1f7"}));
}

TEST(Words, WhiteSpaceAndControlsAreNoWords) {
  EXPECT_EQ(words(""), Words{});
  EXPECT_EQ(words(" \t\r\n\0\u00a0\u3000\u200b\u2028\u0085"s), Words{});
  EXPECT_EQ(words("a\u200bb\tc"), (Words{"a", "b", "c"}));
}

TEST(Words, SpansAreInOrderAndCoverEveryVisibleByte) {
  const std::string text = "Z\u00fcrich, d\u2019accord: \u4e2d\u6587 \U0001f469\u200d\U0001f4bb ok\u0301.";
  std::string visible, covered;
  for (const char byte : text) {
    if (byte != ' ') visible += byte;
  }
  int64_t end = 0;
  for (const Span& span : words_of(text)) {
    EXPECT_GE(span.begin, end);
    EXPECT_GT(span.end, span.begin);
    end = span.end;
    covered += text.substr(static_cast<size_t>(span.begin), static_cast<size_t>(span.end - span.begin));
  }
  EXPECT_EQ(covered, visible);
}

TEST(Words, InvalidUtf8IsRefusedAtItsByte) {
  try {
    words_of("ab\xFF");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "[words_of] text: expected UTF-8, found an invalid sequence at byte 2");
  }
}

}  // namespace
}  // namespace limelight
