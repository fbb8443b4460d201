// Bars have one scale: the full width of the room is all of the light.
#include "share_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace limelight::cli {
namespace {

using studio::Share;
using studio::Spotlight;
using studio::SpotlightRow;

ShareLine word_line(const Spotlight& light, const SpotlightRow& row, size_t i) {
  const auto index = static_cast<int64_t>(i);
  const bool query = std::find(row.own.begin(), row.own.end(), i) != row.own.end();
  return {.label = light.units[i],
          .index = index,
          .share = row.shares[i],
          .query = query,
          .reason = row.shares[i].blocked ? std::string(studio::blocked_reason(row, i)) : ""};
}

void add_strongest(std::vector<ShareLine>& lines, const Spotlight& light, const SpotlightRow& row, int64_t top) {
  const std::vector<size_t> order = studio::strongest_first(row);
  const size_t shown = std::min(order.size(), static_cast<size_t>(top));
  for (size_t i = 0; i < shown; ++i) lines.push_back(word_line(light, row, order[i]));
  if (shown == order.size()) return;
  Share rest;
  for (size_t i = shown; i < order.size(); ++i) {
    rest.weight += row.shares[order[i]].weight;
    rest.permille += row.shares[order[i]].permille;
  }
  const size_t count = order.size() - shown;
  lines.push_back({.label = fmt::format("{} other{}", count, count == 1 ? "" : "s"), .share = rest, .special = true});
}

// Blocked words in one line, those before the word that looks and those after it apart.
void add_blocked(std::vector<ShareLine>& lines, const Spotlight& light, const SpotlightRow& row) {
  constexpr size_t kMostNamed = 12;
  std::map<std::string, std::vector<std::string>> hidden;  // by reason
  for (size_t i = 0; i < row.shares.size(); ++i) {
    if (row.shares[i].blocked) hidden[std::string(studio::blocked_reason(row, i))].push_back(light.units[i]);
  }
  for (const auto& [reason, words] : hidden) {
    const bool few = words.size() <= kMostNamed;
    lines.push_back({.label = few ? fmt::format("{}", fmt::join(words, " ")) : fmt::format("{} words", words.size()),
                     .share = {.blocked = true},
                     .special = true,
                     .reason = reason});
  }
}

}  // namespace

std::vector<ShareLine> share_lines(const Spotlight& light, const SpotlightRow& row, std::optional<int64_t> top) {
  std::vector<ShareLine> lines;
  if (top) {
    add_strongest(lines, light, row, *top);
  } else {
    for (size_t i = 0; i < row.shares.size(); ++i) lines.push_back(word_line(light, row, i));
  }
  if (!light.special.empty()) lines.push_back({.label = light.special, .share = row.special, .special = true});
  if (top) add_blocked(lines, light, row);
  return lines;
}

std::string bar_line(const Terminal& terminal, const ShareLine& line, int64_t label_width, int64_t margin) {
  const std::string label = fit_left(line.label, label_width);
  const std::string start = spaces(margin);
  if (!line.share.lit()) {
    const bool room = margin + label_width + 11 + static_cast<int64_t>(line.reason.size()) <= terminal.width;
    const std::string text = label + "  " + studio::share_text(line.share) + (room ? "  " + line.reason : "");
    return start + paint(terminal, Tone::kDim, text) + "\n";
  }
  const int64_t room = std::max<int64_t>(terminal.width - margin - label_width - 13, 4);
  const double shown = static_cast<double>(line.share.permille) / 1000;
  const std::string percent = fmt::format("  {:>5} %  ", studio::share_text(line.share));
  const std::string drawn = bar(shown, room);
  if (line.special) return start + paint(terminal, Tone::kDim, label + percent + drawn) + "\n";
  const std::string name = line.query ? paint(terminal, Tone::kStrong, label) : paint_share(terminal, shown, label);
  return start + name + percent + paint_share(terminal, shown, drawn) + "\n";
}

}  // namespace limelight::cli
