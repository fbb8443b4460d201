// What is drawn keeps to its width, in columns and not in bytes.
#include "cli/terminal.h"

#include <gtest/gtest.h>

#include "cli/canvas.h"
#include "cli/table.h"
#include "studio/unicode.h"

namespace limelight::cli {
namespace {

TEST(Fit, PadsAndCutsToColumns) {
  EXPECT_EQ(fit_left("it", 4), "it  ");
  EXPECT_EQ(fit_right("動物", 6), "  動物");
  EXPECT_EQ(fit_left("because", 5), "beca…");
  EXPECT_EQ(fit_left("動物動物", 6), "動物… ");
  EXPECT_EQ(fit_left("e\u0301te\u0301s", 3), "e\u0301t…");
  for (int64_t width = 1; width < 12; ++width) EXPECT_EQ(studio::display_width(fit_left("疲れたanimal", width)), width);
}

TEST(Table, ShowsNoControlCharacterAndNoCellWithoutEnd) {
  EXPECT_EQ(table({{"a\x1b[2Jb", "c\u202ed\n"}}, "ll"), "a␛[2Jb  c�d␊\n");
  const std::string text = table({{"word", "1"}, {std::string(1 << 20, 'x'), "2"}}, "lr");
  EXPECT_LT(text.size(), 300u);
  EXPECT_NE(text.find("x…  2\n"), text.npos);
}

TEST(Bar, GrowsWithTheShareAndNeverBeyondItsWidth) {
  EXPECT_EQ(bar(0, 10), "");
  EXPECT_EQ(bar(1, 3), "███");
  EXPECT_EQ(bar(0.5, 1), "▌");
  EXPECT_EQ(bar(2, 3), "███");
  int64_t last = 0;
  for (int i = 0; i <= 100; ++i) {
    const int64_t width = studio::display_width(bar(i / 100.0, 20));
    EXPECT_GE(width, last);
    EXPECT_LE(width, 20);
    last = width;
  }
}

TEST(Paint, LeavesTextAloneWithoutColour) {
  const Terminal plain;
  EXPECT_EQ(paint(plain, Tone::kQuery, "it"), "it");
  EXPECT_EQ(paint_share(plain, 0.7, "it"), "it");
  const Terminal colour{.interactive = true, .colour = true};
  EXPECT_NE(paint_share(colour, 0.7, "it"), paint_share(colour, 0.01, "it"));
}

TEST(Canvas, ThickerArcsHaveMoreDots) {
  const auto dots = [](double share) {
    Canvas canvas(20, 4);
    canvas.arc(Bulge::kUp, 2, 37, 14, share);
    int64_t count = 0;
    for (int64_t l = 0; l < 4; ++l) {
      for (const char32_t c : studio::decode_utf8(canvas.line({}, l)))
        count += c == U' ' ? 0 : __builtin_popcount(c & 0xFF);
    }
    return count;
  };
  EXPECT_LT(dots(0.01), dots(0.05));
  EXPECT_LT(dots(0.05), dots(0.2));
  EXPECT_LT(dots(0.2), dots(0.7));
}

TEST(Canvas, WhatLeavesItIsCutOff) {
  Canvas canvas(3, 2);
  canvas.arc(Bulge::kUp, -50, 90, 100, 1);
  canvas.arc(Bulge::kLeft, -50, 90, 100, 1);
  for (int64_t l = 0; l < 2; ++l) EXPECT_EQ(studio::decode_utf8(canvas.line({}, l)).size(), 3u);
}

TEST(Table, AlignsWideCharacters) {
  EXPECT_EQ(table({{"w", "n"}, {"動物", "1"}, {"it", "20"}}, "lr"), "w      n\n動物   1\nit    20\n");
}

}  // namespace
}  // namespace limelight::cli
