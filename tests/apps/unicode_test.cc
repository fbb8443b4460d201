// Words as people compare and see them: code points, spellings, widths.
#include "studio/unicode.h"

#include <gtest/gtest.h>

namespace limelight::studio {
namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("animal"), 6);
  EXPECT_EQ(display_width("été"), 3);
  EXPECT_EQ(display_width("e\u0301"), 1);  // a combining accent
  EXPECT_EQ(display_width("動物"), 4);
  EXPECT_EQ(display_width("🙂"), 2);
  EXPECT_EQ(display_width(""), 0);
}

TEST(Unicode, DecodingAndEncodingReturnTheText) {
  const std::string text = "aé動🙂";
  EXPECT_EQ(decode_utf8(text).size(), 4u);
  EXPECT_EQ(encode_utf8(decode_utf8(text)), text);
}

TEST(Unicode, BytesThatAreNotUtf8BecomeReplacements) {
  EXPECT_EQ(decode_utf8("a\xFF\xE5\x8B"), U"a\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(decode_utf8("\xC0\x80"), U"\uFFFD\uFFFD");
  EXPECT_EQ(decode_utf8("\xED\xA0\x80"), U"\uFFFD\uFFFD\uFFFD") << "a surrogate";
  EXPECT_EQ(decode_utf8("\xE0\x81\x81"), U"\uFFFD\uFFFD\uFFFD") << "a letter in three bytes";
  EXPECT_EQ(decode_utf8("\xF4\x90\x80\x80"), U"\uFFFD\uFFFD\uFFFD\uFFFD") << "beyond U+10FFFF";
}

TEST(Legible, ShowsEveryControlAsASignAndLeavesLetters) {
  EXPECT_EQ(one_line("a\x1b[2J\n\x7F\u009b\u202eb"), "a␛[2J␊␡\uFFFD\uFFFDb");
  EXPECT_EQ(one_line("a\n\t\r", U"\n\t"), "a\n\t␍");
  EXPECT_EQ(legible("naïve 動物 e\u0301 👩\u200d💻"), "naïve 動物 e\u0301 👩\u200d💻");
}

TEST(Legible, CutsWhatIsLong) {
  EXPECT_EQ(legible(std::string(120, 'x')), std::string(120, 'x'));
  EXPECT_EQ(legible(std::string(1 << 20, 'x')), std::string(119, 'x') + "…");
  EXPECT_EQ(legible(std::string(121, '\x1b')).find('\x1b'), std::string::npos);
}

TEST(Fold, IgnoresCaseAndTheApostrophesForm) {
  EXPECT_EQ(fold("DIDN\u2019T"), fold("didn't"));
  EXPECT_EQ(fold("ÉTÉ"), fold("été"));
  EXPECT_NE(fold("it"), fold("its"));
}

TEST(EditDistance, CountsChangesOfCodePoints) {
  EXPECT_EQ(edit_distance(U"animal", U"animal"), 0);
  EXPECT_EQ(edit_distance(U"animl", U"animal"), 1);
  EXPECT_EQ(edit_distance(U"", U"abc"), 3);
  EXPECT_EQ(edit_distance(U"kitten", U"sitting"), 3);
  EXPECT_EQ(edit_distance(U"動物", U"動"), 1);
}

}  // namespace
}  // namespace limelight::studio
