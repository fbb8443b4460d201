// What the terminal can show: its width, colour, and text painted by tone or by share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace limelight::cli {

struct Terminal {
  int64_t width = 80;
  bool interactive = false;  // else a pipe or a file: plain tables
  bool colour = false;
  bool light_background = false;
};

// Of standard output. Width: COLUMNS, then the terminal's own, then 80. NO_COLOR and TERM=dumb switch colour off.
Terminal standard_terminal();

enum class Tone { kStrong, kDim, kQuery };
std::string paint(const Terminal& terminal, Tone tone, std::string_view text);

// The colour of the letters, or of the ground behind them, grows with the share of the light (0 to 1).
std::string paint_share(const Terminal& terminal, double share, std::string_view text);
std::string fill_share(const Terminal& terminal, double share, std::string_view text);

// Padded with spaces to `width` columns; cut with an ellipsis where it is wider.
std::string fit_left(std::string_view text, int64_t width);
std::string fit_right(std::string_view text, int64_t width);

// A bar of `share` of `width` columns, in eighths of a column; never longer than `width`.
std::string bar(double share, int64_t width);

std::string spaces(int64_t count);

}  // namespace limelight::cli
