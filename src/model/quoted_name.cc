// Cut between characters; what is no text of one line becomes a question mark.
#include "model/quoted_name.h"

#include <algorithm>

namespace limelight::detail {

std::string in_quotes(std::string_view name) {
  constexpr size_t kMaxShown = 100;
  size_t shown = std::min(name.size(), kMaxShown);
  while (shown > 0 && shown < name.size() && (name[shown] & 0xc0) == 0x80) --shown;  // not inside a character
  std::string text(name.substr(0, shown));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return "'" + text + (shown < name.size() ? "...'" : "'");
}

}  // namespace limelight::detail
