// 256 colours: from grey to lime on dark ground, from grey to deep green on light ground.
#include "terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "studio/unicode.h"

namespace limelight::cli {
namespace {

// Where a share's step begins. Attention is uneven: most shares are small, so the steps grow.
constexpr std::array<double, 5> kSteps = {0.01, 0.03, 0.08, 0.20, 0.45};
constexpr std::array<const char*, 6> kLetters = {"38;5;243", "38;5;248", "38;5;144",
                                                 "38;5;149", "38;5;155", "1;38;5;190"};
constexpr std::array<const char*, 6> kLettersLight = {"38;5;246", "38;5;243", "38;5;101",
                                                      "38;5;64",  "38;5;28",  "1;38;5;22"};
constexpr std::array<const char*, 6> kGround = {"38;5;242;48;5;234", "38;5;247;48;5;236", "38;5;253;48;5;58",
                                                "38;5;16;48;5;100",  "38;5;16;48;5;148",  "1;38;5;16;48;5;191"};
constexpr std::array<const char*, 6> kGroundLight = {"38;5;246;48;5;255", "38;5;242;48;5;254", "38;5;16;48;5;193",
                                                     "38;5;16;48;5;149",  "38;5;16;48;5;71",   "1;38;5;231;48;5;22"};

size_t step_of(double share) {
  return static_cast<size_t>(std::upper_bound(kSteps.begin(), kSteps.end(), share) - kSteps.begin());
}

std::string escape(const Terminal& terminal, const char* codes, std::string_view text) {
  if (!terminal.colour || text.empty()) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", codes, text);
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

int64_t width_of_terminal() {
  constexpr int64_t kNarrowest = 20;
  const std::string_view columns = environment("COLUMNS");
  int64_t width = 0;
  std::from_chars(columns.data(), columns.data() + columns.size(), width);
  winsize size{};
  if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  return width <= 0 ? 80 : std::max(width, kNarrowest);
}

}  // namespace

Terminal standard_terminal() {
  Terminal terminal{.width = width_of_terminal(), .interactive = isatty(STDOUT_FILENO) == 1};
  const std::string_view kind = environment("TERM");
  terminal.colour = terminal.interactive && environment("NO_COLOR").empty() && !kind.empty() && kind != "dumb";
  // Set by some terminals as "foreground;background" of 16 colours: 7 and 15 are light.
  const std::string_view ground = environment("COLORFGBG");
  terminal.light_background = ground.ends_with(";7") || ground.ends_with(";15");
  return terminal;
}

std::string paint(const Terminal& terminal, Tone tone, std::string_view text) {
  switch (tone) {
    case Tone::kStrong:
      return escape(terminal, "1", text);
    case Tone::kDim:
      return escape(terminal, terminal.light_background ? "38;5;244" : "38;5;246", text);
    case Tone::kQuery:
      return escape(terminal, terminal.light_background ? "1;38;5;231;48;5;22" : "1;38;5;16;48;5;190", text);
  }
  return std::string(text);
}

std::string paint_share(const Terminal& terminal, double share, std::string_view text) {
  return escape(terminal, (terminal.light_background ? kLettersLight : kLetters)[step_of(share)], text);
}

std::string fill_share(const Terminal& terminal, double share, std::string_view text) {
  return escape(terminal, (terminal.light_background ? kGroundLight : kGround)[step_of(share)], text);
}

std::string fit_left(std::string_view text, int64_t width) {
  const std::string shown = studio::shortened(text, width);
  return shown + spaces(width - studio::display_width(shown));
}

std::string fit_right(std::string_view text, int64_t width) {
  const std::string shown = studio::shortened(text, width);
  return spaces(width - studio::display_width(shown)) + shown;
}

std::string bar(double share, int64_t width) {
  constexpr std::array<const char*, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<int64_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width * 8)));
  std::string text;
  for (int64_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + kEighths[static_cast<size_t>(eighths % 8)];
}

std::string spaces(int64_t count) {
  return std::string(static_cast<size_t>(std::max<int64_t>(count, 0)), ' ');
}

}  // namespace limelight::cli
