// A field is quoted where it holds a comma or a quote, and defused where a spreadsheet would run it as a formula.
#include "spotlight_csv.h"

#include <fmt/format.h>

#include <iterator>

namespace limelight::studio {
namespace {

std::string field(std::string text) {
  if (text.find_first_of("=+-@\t\r") == 0) text.insert(0, 1, '\'');
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

std::string percent(const Share& share) {
  return share.lit() ? fmt::format("{:.1f}", static_cast<double>(share.permille) / 10) : "";
}

}  // namespace

std::string spotlight_csv(const Spotlight& light) {
  std::string csv = "query,query_index,word,index,weight,percent,blocked\n";
  const auto line = [&](const SpotlightRow& row, const std::string& word, const std::string& index,
                        const Share& share) {
    fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{}\n", field(row.word), row.index, field(word), index,
                   share.weight, percent(share), share.blocked);
  };
  for (const SpotlightRow& row : light.rows) {
    for (size_t i = 0; i < row.shares.size(); ++i) line(row, light.units[i], std::to_string(i), row.shares[i]);
    if (!light.special.empty()) line(row, light.special, "", row.special);
  }
  return csv;
}

}  // namespace limelight::studio
