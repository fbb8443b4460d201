// Two spaces between columns, none at the end of a line.
#include "table.h"

#include <algorithm>
#include <cstdint>

#include "studio/unicode.h"
#include "terminal.h"

namespace limelight::cli {

std::string table(std::vector<std::vector<std::string>> rows, std::string_view align) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = studio::legible(cell);
  }
  std::vector<int64_t> widths(align.size());
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], studio::display_width(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      if (c > 0) line += "  ";
      line += align[c] == 'r' ? fit_right(row[c], widths[c]) : fit_left(row[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace limelight::cli
