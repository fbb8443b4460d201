// Thickness and strength of an arc are the share; words are placed by their width on a terminal, a good guess for any
// font.
#include "spotlight_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include "core/error.h"
#include "limelight/runtime.h"
#include "unicode.h"

namespace limelight::studio {
namespace {

constexpr double kWidth = 960;
constexpr double kMargin = 24;
constexpr double kLetter = 10.5;  // a column of text at 18 px
constexpr double kGap = 12;
constexpr double kLeast = 46;  // room for "67.1 %" below a word
constexpr double kCell = 30;
constexpr size_t kMostInGrid = 128;  // words; a picture of more would be many megabytes
constexpr size_t kMostInArcs = 1024;

constexpr std::string_view kStyle =
    R"(svg{--ink:#1b1f16;--dim:#6c7263;--light:#5c8a00;--ground:#fdfef9;--on:#fff;background:var(--ground);
font-family:system-ui,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC",sans-serif}
@media (prefers-color-scheme:dark){svg{--ink:#eef2e4;--dim:#969d8a;--light:#c6f432;--ground:#12150d;--on:#12150d}}
svg text{fill:var(--ink);font-size:18px}
svg .word{text-anchor:middle}svg .small,svg .note,svg .row,svg .column{font-size:14px}
svg .small{text-anchor:middle;font-size:13px}svg .row{text-anchor:end}
svg .off,svg .note{fill:var(--dim)}svg .on{fill:var(--on);font-weight:700}
svg .arc{fill:none;stroke:var(--light);stroke-linecap:round}
svg .lit,svg .query,svg .cell{fill:var(--light)}
svg .blocked{fill:none;stroke:var(--dim);stroke-dasharray:3 3;stroke-opacity:.6}
)";

using Out = std::back_insert_iterator<std::string>;

bool is_own(const SpotlightRow& row, size_t i) {
  return std::find(row.own.begin(), row.own.end(), i) != row.own.end();
}

double shown(const Share& share) {
  return static_cast<double>(share.permille) / 1000;
}

std::string percent(const Share& share) {
  return escape_markup(share_text(share)) + (share.lit() ? " %" : "");
}

struct Place {
  double x = 0;  // middle of the word
  double width = 0;
  size_t line = 0;
};

std::vector<Place> place_words(const Spotlight& light, const SpotlightRow& row) {
  std::vector<Place> places;
  double x = kMargin;
  size_t line = 0;
  for (size_t i = 0; i < light.units.size(); ++i) {
    const bool labelled = !row.shares[i].lit() || row.shares[i].permille >= 5;
    const double width = std::max(static_cast<double>(display_width(light.units[i])) * kLetter, labelled ? kLeast : 14);
    if (x + width > kWidth - kMargin && x > kMargin) {
      x = kMargin;
      ++line;
    }
    places.push_back({x + width / 2, width, line});
    x += width + kGap;
  }
  return places;
}

// Whose arcs are drawn: each word that looks has its own, also where the numbers are those of several together.
const std::vector<SpotlightRow>& lookers(const Spotlight& light) {
  return light.each.empty() ? light.rows : light.each;
}

// Of several pieces the middle one.
size_t foot_of(const SpotlightRow& looker) {
  return looker.own[looker.own.size() / 2];
}

// Room above a line for the highest arc on it.
double arc_room(const std::vector<Place>& places, size_t query) {
  double farthest = 0;
  for (const Place& place : places) {
    if (place.line == places[query].line) farthest = std::max(farthest, std::abs(place.x - places[query].x));
  }
  return std::clamp(farthest * 0.45, 60.0, 240.0);
}

// Where the words of each line stand.
std::vector<double> baselines(const std::vector<Place>& places, const std::vector<SpotlightRow>& rows) {
  constexpr double kLine = 96, kFirst = 48, kWithoutArcs = 20;
  std::vector<double> room(places.back().line + 1, kWithoutArcs);
  for (const SpotlightRow& row : rows) {
    double& here = room[places[foot_of(row)].line];
    here = std::max(here, arc_room(places, foot_of(row)));
  }
  std::vector<double> lines;
  for (const double above : room) {
    lines.push_back((lines.empty() ? kMargin + kFirst : lines.back() + kLine) + above - kWithoutArcs);
  }
  return lines;
}

// Between words of one line an arch above it; to another line a curve from edge to edge, so that it crosses no word
// twice.
void put_arc(Out out, const Place& from, double from_line, const Place& to, double to_line, double room,
             const Share& share, const std::string& title) {
  constexpr double kTop = -22, kBottom = 32, kBend = 40;  // from a line's base: above its words, below its numbers
  const double weight = shown(share);
  double from_y = from_line + kTop, to_y = to_line + kTop;
  double from_bend = from_y - std::min(room, 30 + std::abs(to.x - from.x) * 0.6) * 4 / 3, to_bend = from_bend;
  if (to.line < from.line) {
    to_y = to_line + kBottom;
    from_bend = from_y - kBend, to_bend = to_y + kBend;
  } else if (to.line > from.line) {
    from_y = from_line + kBottom;
    from_bend = from_y + kBend, to_bend = to_y - kBend;
  }
  fmt::format_to(out,
                 "<path class=\"arc\" d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" "
                 "stroke-width=\"{:.2f}\" opacity=\"{:.2f}\"><title>{}</title></path>\n",
                 from.x, from_y, from.x, from_bend, to.x, to_bend, to.x, to_y, 1 + 15 * weight,
                 std::min(1.0, 0.25 + 1.2 * weight), title);
}

// The weaker first, so that the stronger lie above them.
void put_arcs(Out out, const Spotlight& light, const SpotlightRow& row, const std::vector<Place>& places,
              const std::vector<double>& lines) {
  const size_t foot = foot_of(row);
  const Place& from = places[foot];
  std::vector<size_t> order = strongest_first(row);
  std::reverse(order.begin(), order.end());
  for (const size_t i : order) {
    const Place& to = places[i];
    if (is_own(row, i) || row.shares[i].permille < (to.line == from.line ? 3 : 15)) continue;  // else it would be noise
    put_arc(
        out, from, lines[from.line], to, lines[to.line], arc_room(places, foot), row.shares[i],
        fmt::format("{} to {}: {}", escape_markup(row.word), escape_markup(light.units[i]), percent(row.shares[i])));
  }
}

void put_word(Out out, const Spotlight& light, const SpotlightRow& row, size_t i, const Place& place, double y) {
  const Share& share = row.shares[i];
  const bool query = is_own(row, i);
  const double width = static_cast<double>(display_width(light.units[i])) * kLetter + 10;
  fmt::format_to(out,
                 "<g><title>{} {}</title><rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"28\" "
                 "rx=\"6\" fill-opacity=\"{:.3f}\"/><text class=\"word{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                 escape_markup(light.units[i]), percent(share), query ? "query" : "lit", place.x - width / 2, y - 20,
                 width, query ? 1.0 : std::min(0.75, shown(share)),
                 query          ? " on"
                 : !share.lit() ? " off"
                                : "",
                 place.x, y, escape_markup(light.units[i]));
  if (!share.lit() || share.permille >= 5) {
    fmt::format_to(out, "<text class=\"small{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", share.lit() ? "" : " off",
                   place.x, y + 25, percent(share));
  }
  fmt::format_to(out, "</g>\n");
}

constexpr double kNoteLine = 19;

// A note's lines, broken between words where one would leave the picture.
std::vector<std::string> note_lines(const std::string& note, double width) {
  constexpr double kNoteLetter = 7.6;  // a column of text at 14 px, at most
  const auto room = static_cast<int64_t>((width - 2 * kMargin) / kNoteLetter);
  std::vector<std::string> lines(1);
  std::istringstream words(note);
  for (std::string word; words >> word;) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (display_width(line) + 1 + display_width(word) <= room) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

void put_note(Out out, const std::vector<std::string>& lines, double y) {
  for (size_t i = 0; i < lines.size(); ++i) {
    fmt::format_to(out, "<text class=\"note\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", kMargin,
                   y + static_cast<double>(i) * kNoteLine, escape_markup(lines[i]));
  }
}

std::string made_by(const Spotlight& light) {
  return fmt::format("limelight {}: {}", version(), heading(light));
}

double height_of(const std::vector<std::string>& lines) {
  return static_cast<double>(lines.size() - 1) * kNoteLine;
}

std::string open_picture(double width, double height, const std::string& label) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" "
      "role=\"img\" aria-label=\"{}\">\n",
      width, height, width, height, escape_markup(label));
}

std::string arcs_picture(const Spotlight& light) {
  const SpotlightRow& row = light.rows.front();
  if (light.units.size() > kMostInArcs) {
    detail::fail_argument(
        fmt::format("text: a picture takes {} words, found {}; use --json or --csv", kMostInArcs, light.units.size()));
  }
  const std::vector<Place> places = place_words(light, row);
  const std::vector<double> lines = baselines(places, lookers(light));
  std::string note = made_by(light);
  if (!light.special.empty()) note += fmt::format("; {} {} %", light.special, share_text(row.special));
  if (const std::string first = first_token_line(light, row); !first.empty()) note += "; " + first;
  if (!light.each.empty()) note += "; arcs are each word's own shares, numbers the mean";
  const std::vector<std::string> notes = note_lines(note, kWidth);
  const double foot = lines.back() + 66, height = foot + height_of(notes) + 12;
  std::string text = open_picture(kWidth, height, heading(light));
  const Out out(text);
  for (const SpotlightRow& looker : lookers(light)) put_arcs(out, light, looker, places, lines);
  for (size_t i = 0; i < places.size(); ++i) put_word(out, light, row, i, places[i], lines[places[i].line]);
  put_note(out, notes, foot);
  return text + "</svg>\n";
}

std::string grid_picture(const Spotlight& light) {
  if (light.units.size() > kMostInGrid) {
    detail::fail_argument(
        fmt::format("text: a picture of all words takes {} of them, found {}; choose one by --word, or use --csv",
                    kMostInGrid, light.units.size()));
  }
  int64_t widest = 0;
  for (const std::string& unit : light.units) widest = std::max(widest, display_width(unit));
  const double label = std::min(static_cast<double>(widest), 24.0) * 8.5 + 12;
  const auto count = static_cast<double>(light.units.size());
  const double width = std::max(kMargin * 2 + label + count * kCell + label * 0.7, 480.0);
  const std::vector<std::string> notes =
      note_lines(made_by(light) + (blocked_reasons(light).empty() ? "" : "; dashed cells are blocked"), width);
  const double foot = kMargin * 2 + label + count * kCell + 18, height = foot + height_of(notes) + 12;
  const double left = kMargin + label, top = kMargin + label;
  std::string text = open_picture(width, height, heading(light));
  const Out out(text);
  for (size_t i = 0; i < light.units.size(); ++i) {
    const double at = (static_cast<double>(i) + 0.5) * kCell;
    const std::string word = escape_markup(light.units[i]);
    fmt::format_to(out, "<text class=\"row\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", left - 8, top + at + 5, word);
    fmt::format_to(out, "<text class=\"column\" transform=\"translate({:.1f} {:.1f}) rotate(-60)\">{}</text>\n",
                   left + at + 4, top - 6, word);
  }
  for (const SpotlightRow& row : light.rows) {
    for (size_t i = 0; i < row.shares.size(); ++i) {
      const Share& share = row.shares[i];
      const double x = left + static_cast<double>(i) * kCell, y = top + static_cast<double>(row.index) * kCell;
      fmt::format_to(out,
                     "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\" "
                     "fill-opacity=\"{:.3f}\"><title>{} to {}: {}</title></rect>\n",
                     share.lit() ? "cell" : "blocked", x + 1, y + 1, kCell - 2, kCell - 2,
                     !share.lit() ? 1.0 : 0.06 + 0.94 * shown(share), escape_markup(row.word),
                     escape_markup(light.units[i]), percent(share));
    }
  }
  put_note(out, notes, foot);
  return text + "</svg>\n";
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::u32string points = decode_utf8(text);
  // What no XML document may hold (XML 1.0, 2.2).
  for (char32_t& c : points) {
    if ((c < 0x20 && c != U'\n' && c != U'\t') || c == 0xFFFE || c == 0xFFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
  }
  std::string escaped;
  for (const char c : encode_utf8(points)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string spotlight_svg(const Spotlight& light) {
  std::string picture = light.grid ? grid_picture(light) : arcs_picture(light);
  picture.insert(picture.find(">\n") + 2, fmt::format("<style>{}</style>\n", kStyle));
  return picture;
}

}  // namespace limelight::studio
