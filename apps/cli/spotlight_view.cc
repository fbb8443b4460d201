// The heading, one of three figures by the room there is, bars, and the weighted sum.
#include "spotlight_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "share_lines.h"
#include "spotlight_figure.h"
#include "studio/unicode.h"
#include "table.h"

namespace limelight::cli {
namespace {

using studio::Spotlight;
using studio::SpotlightRow;

constexpr int64_t kMargin = 2;
constexpr int64_t kBarsShown = 6;
constexpr size_t kMostSideways = 32;  // words; beyond, the figure would not fit a screen
constexpr size_t kMostInParagraph = 400;
constexpr size_t kWordsAround = 60;  // the word that looks, where the text is longer than that

std::string plain_table(const Spotlight& light, const SpotlightRow& row, std::optional<int64_t> top) {
  std::vector<std::vector<std::string>> cells = {{"index", "word", "percent", "weight"}};
  for (const ShareLine& line : share_lines(light, row, top)) {
    const std::string index = line.index ? std::to_string(*line.index) : "";
    cells.push_back({index, line.label, studio::share_text(line.share),
                     line.share.lit() ? fmt::format("{:.4f}", line.share.weight) : ""});
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

// The whole text, or of a long one what is around the word that looks.
std::string paragraph(const Spotlight& light, const SpotlightRow& row, const Terminal& terminal) {
  const size_t count = light.units.size();
  if (count <= kMostInParagraph) return lit_paragraph(light, row, terminal, kMargin, 0, count);
  const size_t at = row.own.front();
  const size_t begin = at - std::min(at, kWordsAround), end = std::min(at + kWordsAround, count);
  const std::string place = fmt::format("words {} to {} of {}", begin, end - 1, count);
  return spaces(kMargin) + paint(terminal, Tone::kDim, place) + "\n" +
         lit_paragraph(light, row, terminal, kMargin, begin, end);
}

std::string figure(const Spotlight& light, const SpotlightRow& row, const Terminal& terminal,
                   std::optional<int64_t> top) {
  const int64_t shown = top.value_or(kBarsShown);
  if (const std::string arcs = arcs_above(light, row, terminal, kMargin); !arcs.empty()) {
    return arcs + "\n" + bars(light, row, terminal, shown);
  }
  if (light.units.size() <= kMostSideways && !top) return arcs_beside(light, row, terminal, kMargin);
  return paragraph(light, row, terminal) + "\n" + bars(light, row, terminal, shown);
}

}  // namespace

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
  const std::string first = studio::first_token_line(light, row);
  if (!terminal.interactive) {
    return fmt::format("{}\n\n{}\n{}\n{}", studio::heading(light), plain_table(light, row, top), sum,
                       first.empty() ? "" : first + "\n");
  }
  const std::string margin = spaces(kMargin);
  const auto dim = [&](const std::string& text) {
    return margin + paint(terminal, Tone::kDim, wrapped(text, terminal.width - kMargin, kMargin)) + "\n";
  };
  return fmt::format("\n{}\n{}\n{}{}\n{}\n", dim(studio::heading(light)), figure(light, row, terminal, top), margin,
                     wrapped(sum, terminal.width - kMargin, kMargin + 5), first.empty() ? "" : dim(first));
}

}  // namespace limelight::cli
