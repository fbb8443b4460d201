// The heading, one of three figures by the room there is, bars, and the weighted sum.
#include "spotlight_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "share_lines.h"
#include "spotlight_figure.h"
#include "studio/rounding.h"
#include "studio/unicode.h"
#include "table.h"

namespace limelight::cli {
namespace {

using studio::Spotlight;
using studio::SpotlightRow;

constexpr int64_t kMargin = 2;
constexpr int64_t kBarsShown = 6;
constexpr size_t kMostSideways = 32;  // words; beyond, the figure would not fit a screen

std::string plain_table(const Spotlight& light, const SpotlightRow& row, std::optional<int64_t> top) {
  std::vector<std::vector<std::string>> cells = {{"index", "word", "percent", "weight"}};
  std::vector<ShareLine> lines = share_lines(light, row, top);
  std::vector<double> weights;
  for (const ShareLine& line : lines) weights.push_back(line.share.weight);
  // Rounded as they are listed: the others' percentage is that of their sum, not a sum of rounded ones.
  const std::vector<int64_t> permille = studio::largest_remainder(weights, 1000);
  for (size_t i = 0; i < lines.size(); ++i) {
    ShareLine& line = lines[i];
    line.share.permille = permille[i];
    const std::string index = line.index ? std::to_string(*line.index) : "";
    cells.push_back({index, line.label, share_text(line.share),
                     line.share.blocked ? "" : fmt::format("{:.4f}", line.share.weight)});
  }
  return table(cells, "rlrr");
}

std::string bars(const Spotlight& light, const SpotlightRow& row, const Terminal& terminal, int64_t top) {
  const std::vector<ShareLine> lines = share_lines(light, row, top);
  int64_t label_width = 0;
  for (const ShareLine& line : lines) label_width = std::max(label_width, studio::display_width(line.label));
  label_width = std::min(label_width, terminal.width / 3);
  std::string text;
  for (const ShareLine& line : lines) text += bar_line(terminal, line, label_width, kMargin);
  return text;
}

std::string figure(const Spotlight& light, const SpotlightRow& row, const Terminal& terminal,
                   std::optional<int64_t> top) {
  const int64_t shown = top.value_or(kBarsShown);
  if (const std::string arcs = arcs_above(light, row, terminal, kMargin); !arcs.empty()) {
    return arcs + "\n" + bars(light, row, terminal, shown);
  }
  if (light.units.size() <= kMostSideways && !top) return arcs_beside(light, row, terminal, kMargin);
  return lit_paragraph(light, row, terminal, kMargin) + "\n" + bars(light, row, terminal, shown);
}

}  // namespace

std::string heading(const Spotlight& light) {
  return fmt::format("{} {}, mask {}, head: {}", light.model, studio::head_name(light.head.layer, light.head.head),
                     studio::mask_name(light.mask), light.head.chosen_by);
}

std::string share_text(const studio::Share& share) {
  return share.blocked ? "blocked" : fmt::format("{:.1f}", static_cast<double>(share.permille) / 10);
}

std::string wrapped(const std::string& text, int64_t width, int64_t indent) {
  std::string lines, line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && studio::display_width(line) + 1 + studio::display_width(word) > width - indent) {
      lines += line + "\n" + spaces(indent);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + line;
}

std::string spotlight_view(const Spotlight& light, const Terminal& terminal, std::optional<int64_t> top) {
  const SpotlightRow& row = light.rows.front();
  const std::string sum = studio::weighted_sum(light, row);
  if (!terminal.interactive) {
    return fmt::format("{}\n\n{}\n{}\n", heading(light), plain_table(light, row, top), sum);
  }
  const std::string margin = spaces(kMargin);
  return fmt::format("\n{}{}\n\n{}\n{}{}\n\n", margin,
                     paint(terminal, Tone::kDim, wrapped(heading(light), terminal.width - kMargin, kMargin)),
                     figure(light, row, terminal, top), margin, wrapped(sum, terminal.width - kMargin, kMargin + 5));
}

}  // namespace limelight::cli
