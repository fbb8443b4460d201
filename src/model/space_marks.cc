// Spaces written as U+2581.
#include "model/space_marks.h"

#include <algorithm>

namespace limelight::detail {

void mark_spaces(Characters& text) {
  std::replace(text.codes.begin(), text.codes.end(), U' ', kSpaceMark);
}

void prepend(Characters& text, char32_t code) {
  if (text.size() == 0) return;
  const int64_t begin = text.spans.front().begin;
  text.codes.insert(text.codes.begin(), code);
  text.spans.insert(text.spans.begin(), {begin, begin});
}

Characters SpaceMarkNormalizer::normalize(Characters text) const {
  if (replaces) mark_spaces(text);
  if (prepends) prepend(text, kSpaceMark);
  return text;
}

}  // namespace limelight::detail
