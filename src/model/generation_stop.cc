// What is held is shorter than the longest stop text, so each push looks at little.
#include "model/generation_stop.h"

#include <algorithm>
#include <utility>

namespace limelight::detail {
namespace {

// The length of the longest end of `text` that begins `stop` without being all of it.
size_t begun(std::string_view text, std::string_view stop) {
  for (size_t length = std::min(text.size(), stop.size() - 1); length > 0; --length) {
    if (stop.starts_with(text.substr(text.size() - length))) return length;
  }
  return 0;
}

}  // namespace

std::string StopTexts::push(std::string_view text) {
  if (stopped_) return "";
  held_ += text;
  size_t first_end = std::string::npos, begin = 0, kept = 0;
  for (const std::string& stop : stops_) {
    kept = std::max(kept, begun(held_, stop));
    const size_t at = held_.find(stop);
    if (at == std::string::npos) continue;
    const size_t end = at + stop.size();
    if (end > first_end || (end == first_end && at >= begin)) continue;
    first_end = end;
    begin = at;
  }
  stopped_ = first_end != std::string::npos;
  const size_t sure = stopped_ ? begin : held_.size() - kept;
  std::string released = held_.substr(0, sure);
  held_.erase(0, stopped_ ? std::string::npos : sure);
  return released;
}

std::string StopTexts::finish() {
  return std::exchange(held_, "");
}

}  // namespace limelight::detail
