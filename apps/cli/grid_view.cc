// Cells hold numbers where they fit, else two columns of shade.
#include "grid_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "spotlight_view.h"
#include "studio/unicode.h"
#include "table.h"

namespace limelight::cli {
namespace {

using studio::Share;
using studio::Spotlight;
using studio::SpotlightRow;

constexpr int64_t kMargin = 2;
constexpr int64_t kNumberCell = 5;  // "100.0"
constexpr int64_t kShadeCell = 2;
constexpr int64_t kWidestShade = 4;
constexpr int64_t kSpecialCell = 8;
constexpr const char* kLeftOutSign = "–";
constexpr const char* kBlockedSign = "×";

std::string plain_grid(const Spotlight& light) {
  std::vector<std::vector<std::string>> cells(1, {"index", "word"});
  for (const std::string& unit : light.units) cells[0].push_back(unit);
  const bool special = !light.special.empty();
  if (special) cells[0].push_back(light.special);
  for (const SpotlightRow& row : light.rows) {
    std::vector<std::string>& line = cells.emplace_back();
    line = {std::to_string(row.index), row.word};
    for (const Share& share : row.shares) line.push_back(studio::share_text(share));
    if (special) line.push_back(studio::share_text(row.special));
  }
  return table(cells, "rl" + std::string(light.units.size() + (special ? 1 : 0), 'r'));
}

struct GridLayout {
  int64_t label = 0;  // columns for "12 animal"
  int64_t cell = 0;
  bool numbers = false;
  size_t across = 1;  // cells a panel
};

GridLayout layout_of(const Spotlight& light, const Terminal& terminal) {
  GridLayout layout;
  int64_t widest = 0;
  for (const std::string& unit : light.units) widest = std::max(widest, studio::display_width(unit));
  const int64_t digits = static_cast<int64_t>(std::to_string(light.units.size() - 1).size());
  layout.label = std::min(digits + 1 + widest, terminal.width / 3);
  const auto units = static_cast<int64_t>(light.units.size());
  int64_t room = std::max<int64_t>(terminal.width - kMargin - layout.label - kSpecialCell, kNumberCell + 1);
  layout.numbers = units * kNumberCell <= room;
  if (layout.numbers) {
    const int64_t wide = std::max(widest + 1, kNumberCell);
    layout.cell = units * wide <= room ? wide : kNumberCell;
  } else {
    ++layout.label;  // shades need a gap after the words, numbers bring one
    --room;
    layout.cell = std::clamp(room / units, std::max(kShadeCell, digits + 1), kWidestShade);
  }
  layout.across = static_cast<size_t>(std::max<int64_t>(room / layout.cell, 1));
  return layout;
}

std::string cell_text(const Terminal& terminal, const GridLayout& layout, const Share& share) {
  constexpr std::array<const char*, 5> kShades = {" ", "░", "▒", "▓", "█"};
  const char* sign = share.blocked ? kBlockedSign : kLeftOutSign;
  if (!share.lit()) return paint(terminal, Tone::kDim, fit_right(sign, layout.cell - 1) + " ");
  const double shown = static_cast<double>(share.permille) / 1000;
  if (layout.numbers) {
    const int64_t width = layout.cell;
    return fill_share(terminal, shown, fit_right(studio::share_text(share), width));
  }
  if (terminal.colour) return fill_share(terminal, shown, spaces(layout.cell));
  const size_t step = shown < 0.01 ? 0 : shown < 0.05 ? 1 : shown < 0.15 ? 2 : shown < 0.4 ? 3 : 4;
  std::string text;
  for (int64_t i = 0; i < layout.cell; ++i) text += kShades[step];
  return text;
}

// Columns are headed by their words where these fit, else by the numbers that stand beside the rows' words.
std::string column_heads(const Spotlight& light, const GridLayout& layout, size_t begin, size_t end) {
  bool words = true;
  for (size_t i = begin; i < end; ++i) words = words && studio::display_width(light.units[i]) < layout.cell;
  std::string text;
  for (size_t i = begin; i < end; ++i) {
    if (layout.numbers) {
      text += fit_right(words ? light.units[i] : std::to_string(i), layout.cell);
    } else {
      text += fit_left(fit_right(std::to_string(i), (layout.cell + 2) / 2), layout.cell);  // in the middle of the shade
    }
  }
  return text;
}

std::string panel(const Spotlight& light, const Terminal& terminal, const GridLayout& layout, size_t begin,
                  size_t end) {
  const bool special = !light.special.empty();
  std::string text = spaces(kMargin + layout.label);
  text += paint(terminal, Tone::kDim,
                column_heads(light, layout, begin, end) + (special ? fit_right("rest", kSpecialCell) : "")) +
          "\n";
  const auto digits = std::to_string(light.units.size() - 1).size();
  for (const SpotlightRow& row : light.rows) {
    text += spaces(kMargin) + fit_left(fmt::format("{:>{}} {}", row.index, digits, row.word), layout.label);
    for (size_t i = begin; i < end; ++i) text += cell_text(terminal, layout, row.shares[i]);
    if (special) text += paint(terminal, Tone::kDim, fit_right(studio::share_text(row.special), kSpecialCell));
    text += "\n";
  }
  return text;
}

std::string legend(const Spotlight& light, const Terminal& terminal, const GridLayout& layout) {
  std::string text = spaces(kMargin) + "rows look, columns are looked at\n" + spaces(kMargin);
  if (layout.numbers) {
    text += "percent; a row adds to 100\n";
  } else {
    text += "no light ";
    for (const int64_t permille : {5, 20, 50, 150, 300, 600}) {
      text += cell_text(terminal, layout, {.weight = 0, .permille = permille});
    }
    text += " all of it\n";
  }
  if (!light.special.empty()) {
    text += spaces(kMargin) + wrapped("rest: " + light.special, terminal.width - kMargin, kMargin + 6) + "\n";
  }
  const auto reasons = studio::blocked_reasons(light);
  if (!reasons.empty()) {
    text += fmt::format("{}{} blocked: {}\n", spaces(kMargin), kBlockedSign, fmt::join(reasons, ", or "));
  }
  if (light.without_first) text += fmt::format("{}{} left out\n", spaces(kMargin), kLeftOutSign);
  return text;
}

}  // namespace

std::string grid_view(const Spotlight& light, const Terminal& terminal) {
  if (!terminal.interactive) return fmt::format("{}\n\n{}", studio::heading(light), plain_grid(light));
  const GridLayout layout = layout_of(light, terminal);
  std::string text = "\n" + spaces(kMargin);
  text += paint(terminal, Tone::kDim, wrapped(studio::heading(light), terminal.width - kMargin, kMargin)) + "\n\n";
  for (size_t begin = 0; begin < light.units.size(); begin += layout.across) {
    text += panel(light, terminal, layout, begin, std::min(begin + layout.across, light.units.size())) + "\n";
  }
  return text + legend(light, terminal, layout) + "\n";
}

}  // namespace limelight::cli
