// What a terminal is too narrow for is broken between words, under where it began.
#include "cli/help_text.h"

#include <gtest/gtest.h>

namespace limelight::cli {
namespace {

TEST(HelpText, DescriptionsKeepToTheirColumn) {
  EXPECT_EQ(wrapped_help("  --softcap C   Scores s become C tanh(s / C) for all\n", 16, 40),
            "  --softcap C   Scores s become C tanh(s\n                / C) for all\n");
}

TEST(HelpText, WhatFitsOrHasNoDescriptionStaysWhole) {
  const std::string fits =
      "  --softcap C   Scores\n\nExample:\n  limelight attend qkv.safetensors --out seen.safetensors";
  EXPECT_EQ(wrapped_help(fits, 16, 40), fits);
  EXPECT_EQ(wrapped_help("", 16, 40), "");
  EXPECT_EQ(wrapped_help("\n\n", 16, 40), "\n\n");
}

TEST(HelpText, EveryWordIsKeptAtEveryWidth) {
  const std::string help = "  --x           A word-that-is-wider-than-any-terminal and more of them";
  for (int64_t width = 0; width < 90; ++width) {
    std::string joined;
    const std::string text = wrapped_help(help, 16, width);
    for (size_t at = 0; at < text.size(); ++at) {
      joined += text[at] == '\n' ? ' ' : text[at];
      if (text[at] == '\n') at += 16;
    }
    EXPECT_EQ(joined, help) << width;
  }
}

}  // namespace
}  // namespace limelight::cli
