// Help is ASCII: a byte is a column.
#include "help_text.h"

#include <algorithm>

namespace limelight::cli {
namespace {

constexpr size_t kLeastRoom = 20;

bool has_description(std::string_view line, size_t column) {
  return line.size() > column && line[column] != ' ' && line[column - 1] == ' ' && line.starts_with("  ");
}

std::string broken(std::string_view line, size_t column, size_t width) {
  const size_t room = std::max(width, column + kLeastRoom) - column;
  std::string text(line.substr(0, column));
  line.remove_prefix(column);
  while (line.size() > room) {
    size_t end = line.rfind(' ', room);
    if (end == line.npos) end = line.find(' ');  // a word that is wider than the room
    if (end == line.npos) break;
    text += std::string(line.substr(0, end)) + "\n" + std::string(column, ' ');
    line.remove_prefix(end + 1);
  }
  return text + std::string(line);
}

}  // namespace

std::string wrapped_help(std::string_view help, int64_t column, int64_t width) {
  std::string text;
  while (!help.empty()) {
    const size_t end = std::min(help.find('\n'), help.size());
    const std::string_view line = help.substr(0, end);
    const bool wide = static_cast<int64_t>(line.size()) > width && has_description(line, static_cast<size_t>(column));
    text += wide ? broken(line, static_cast<size_t>(column), static_cast<size_t>(width)) : std::string(line);
    if (end < help.size()) text += '\n';
    help.remove_prefix(std::min(end + 1, help.size()));
  }
  return text;
}

}  // namespace limelight::cli
