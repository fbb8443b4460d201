// Arcs rise with the root of their reach, so that those of one side leave the word as one stem and never cross.
#include "spotlight_figure.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "canvas.h"
#include "share_lines.h"
#include "studio/unicode.h"

namespace limelight::cli {
namespace {

using studio::Share;
using studio::Spotlight;
using studio::SpotlightRow;

constexpr int64_t kFaintest = 10;  // permille; fainter arcs would be noise

double shown_share(const Share& share) {
  return static_cast<double>(share.permille) / 1000;
}

// The column each word begins at, and where the last one ends.
struct Layout {
  std::vector<int64_t> begin;
  std::vector<int64_t> width;
  int64_t end = 0;

  double centre(size_t i) const { return static_cast<double>(begin[i]) + static_cast<double>(width[i]) / 2; }
};

// On one line; gaps between words grow up to three columns where there is room.
Layout one_line(const Spotlight& light, int64_t room) {
  Layout layout;
  int64_t natural = 0;
  for (size_t i = 0; i < light.units.size(); ++i) {
    layout.width.push_back(studio::display_width(light.units[i]));
    natural += layout.width.back() + light.gaps[i];
  }
  const int64_t gaps = std::accumulate(light.gaps.begin(), light.gaps.end(), int64_t{0});
  const int64_t gap = 1 + (gaps == 0 ? 0 : std::clamp<int64_t>((room - natural) / gaps, 0, 3));
  for (size_t i = 0; i < light.units.size(); ++i) {
    layout.end += i == 0 ? 0 : light.gaps[i] * gap;
    layout.begin.push_back(layout.end);
    layout.end += layout.width[i];
  }
  return layout;
}

bool is_own(const SpotlightRow& row, size_t i) {
  return std::find(row.own.begin(), row.own.end(), i) != row.own.end();
}

// Curves from the query to every other unit, weakest first; position(i) is where unit i stands, in dots along the edge.
template <class Position>
void draw_arcs(Canvas& canvas, Bulge bulge, double height, const SpotlightRow& row, const Position& position) {
  std::vector<size_t> order = studio::strongest_first(row);
  std::reverse(order.begin(), order.end());
  const double query = (position(row.own.front()) + position(row.own.back())) / 2;
  double farthest = 1;
  for (const size_t i : order) farthest = std::max(farthest, std::abs(position(i) - query));
  for (const size_t i : order) {
    if (is_own(row, i) || row.shares[i].permille < kFaintest) continue;
    const double reach = std::abs(position(i) - query);
    canvas.arc(bulge, query, position(i), height * std::sqrt(reach / farthest), shown_share(row.shares[i]));
  }
}

std::string painted_word(const Terminal& terminal, const Spotlight& light, const SpotlightRow& row, size_t i) {
  if (is_own(row, i)) return paint(terminal, Tone::kQuery, light.units[i]);
  if (!row.shares[i].lit()) return paint(terminal, Tone::kDim, light.units[i]);
  return paint_share(terminal, shown_share(row.shares[i]), light.units[i]);
}

// Percentages under their words, strongest first, each where nothing stands yet; runs of blocked words get one bracket.
class LabelLine {
 public:
  explicit LabelLine(int64_t width) : cells_(static_cast<size_t>(width), " ") {}

  void put(const Terminal& terminal, double centre, const Share& share) {
    const std::string text = studio::share_text(share);
    const auto width = static_cast<int64_t>(text.size());
    const int64_t room = static_cast<int64_t>(cells_.size());
    const int64_t begin = std::clamp<int64_t>(std::lround(centre - static_cast<double>(width) / 2), 0,
                                              std::max<int64_t>(room - width, 0));
    for (int64_t c = std::max<int64_t>(begin - 1, 0); c < std::min(begin + width + 1, room); ++c) {
      if (cells_[static_cast<size_t>(c)] != " ") return;
    }
    if (begin + width > room) return;
    for (int64_t c = 0; c < width; ++c) {
      cells_[static_cast<size_t>(begin + c)] =
          paint_share(terminal, shown_share(share), text.substr(static_cast<size_t>(c), 1));
    }
  }

  void bracket(const Terminal& terminal, int64_t begin, int64_t end) {
    const std::string_view word = end - begin >= 9 ? " blocked " : end - begin >= 7 ? "blocked" : "";
    const int64_t before = (end - begin - static_cast<int64_t>(word.size())) / 2;
    for (int64_t c = begin; c < end; ++c) {
      const int64_t at = c - begin - before;
      const bool letter = at >= 0 && at < static_cast<int64_t>(word.size());
      const std::string cell = letter ? std::string(word.substr(static_cast<size_t>(at), 1)) : "╌";
      cells_[static_cast<size_t>(c)] = paint(terminal, Tone::kDim, cell);
    }
  }

  std::string text() const { return std::accumulate(cells_.begin(), cells_.end(), std::string()); }

 private:
  std::vector<std::string> cells_;
};

std::string labels(const Layout& layout, const SpotlightRow& row, const Terminal& terminal) {
  LabelLine line(layout.end);
  for (size_t i = 0; i < row.shares.size(); ++i) {
    if (!row.shares[i].blocked) continue;
    const int64_t begin = layout.begin[i];
    while (i + 1 < row.shares.size() && row.shares[i + 1].blocked) ++i;
    line.bracket(terminal, begin, layout.begin[i] + layout.width[i]);
  }
  for (const size_t i : studio::strongest_first(row)) line.put(terminal, layout.centre(i), row.shares[i]);
  return line.text();
}

}  // namespace

std::string arcs_above(const Spotlight& light, const SpotlightRow& row, const Terminal& terminal, int64_t margin) {
  const Layout layout = one_line(light, terminal.width - 2 * margin);
  if (layout.end > terminal.width - 2 * margin) return "";
  const int64_t lines = std::clamp<int64_t>(layout.end / 11, 3, 8);
  Canvas canvas(layout.end, lines);
  draw_arcs(canvas, Bulge::kUp, static_cast<double>(lines * kDotsDown - 1), row,
            [&](size_t i) { return layout.centre(i) * kDotsAcross - 0.5; });
  std::string text;
  for (int64_t l = 0; l < lines; ++l) text += spaces(margin) + canvas.line(terminal, l) + "\n";
  std::string sentence;
  int64_t column = 0;
  for (size_t i = 0; i < light.units.size(); ++i) {
    sentence += spaces(layout.begin[i] - column) + painted_word(terminal, light, row, i);
    column = layout.begin[i] + layout.width[i];
  }
  return text + spaces(margin) + sentence + "\n" + spaces(margin) + labels(layout, row, terminal) + "\n";
}

std::string arcs_beside(const Spotlight& light, const SpotlightRow& row, const Terminal& terminal, int64_t margin) {
  const int64_t columns = std::clamp<int64_t>(terminal.width / 6, 4, 12);
  const auto units = static_cast<int64_t>(light.units.size());
  Canvas canvas(columns, units);
  draw_arcs(canvas, Bulge::kLeft, static_cast<double>(columns * kDotsAcross - 1), row,
            [](size_t i) { return static_cast<double>(i) * kDotsDown + 1.5; });
  const std::vector<ShareLine> lines = share_lines(light, row, std::nullopt);
  int64_t label_width = 0;
  for (const ShareLine& line : lines) label_width = std::max(label_width, studio::display_width(line.label));
  label_width = std::min(label_width, terminal.width / 3);
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    const ShareLine& line = lines[i];
    text +=
        spaces(margin) + (i < light.units.size() ? canvas.line(terminal, static_cast<int64_t>(i)) : spaces(columns));
    text += line.query ? paint(terminal, Tone::kStrong, "▸") : " ";
    Terminal rest = terminal;
    rest.width -= margin + columns + 1;
    text += bar_line(rest, line, label_width, 0);
  }
  return text;
}

std::string lit_paragraph(const Spotlight& light, const SpotlightRow& row, const Terminal& terminal, int64_t margin,
                          size_t begin, size_t end) {
  std::string text = spaces(margin);
  int64_t column = margin;
  for (size_t i = begin; i < end; ++i) {
    const int64_t width = studio::display_width(light.units[i]);
    if (column + light.gaps[i] + width > terminal.width - margin) {
      text += "\n" + spaces(margin);
      column = margin;
    } else if (light.gaps[i] > 0 && i > begin) {
      text += " ";
      ++column;
    }
    const bool query = is_own(row, i);
    const bool dim = !row.shares[i].lit();
    text += query || dim ? paint(terminal, query ? Tone::kQuery : Tone::kDim, light.units[i])
                         : fill_share(terminal, shown_share(row.shares[i]), light.units[i]);
    column += width;
  }
  return text + "\n";
}

}  // namespace limelight::cli
