// A row of shares as lines to be listed: words, what is left of them, special tokens, what is blocked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "studio/spotlight.h"
#include "terminal.h"

namespace limelight::cli {

struct ShareLine {
  std::string label;
  std::optional<int64_t> index = std::nullopt;  // of the word
  studio::Share share;
  bool query = false;    // the word that looks
  bool special = false;  // not one word but the special tokens, or the others
  std::string reason{};  // why it is blocked
};

// All words in reading order; with `top` the strongest first, then the sum of the others and the names of blocked ones.
// The special tokens, where there are any, follow the words. Shown percentages add to 100 either way.
std::vector<ShareLine> share_lines(const studio::Spotlight& light, const studio::SpotlightRow& row,
                                   std::optional<int64_t> top);

// "  animal  67.1 %  ████████": one line, painted.
std::string bar_line(const Terminal& terminal, const ShareLine& line, int64_t label_width, int64_t margin);

}  // namespace limelight::cli
