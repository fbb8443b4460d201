// Spaces written as U+2581, as SentencePiece's vocabularies have them.
#pragma once

#include <string_view>

#include "model/utf8.h"

namespace limelight::detail {

inline constexpr char32_t kSpaceMark = U'\u2581';
inline constexpr std::string_view kSpaceMarkText = "\u2581";

void mark_spaces(Characters& text);

// A code that has no source, before the first.
void prepend(Characters& text, char32_t code);

// The steps Prepend and Replace of a tokenizer.json's normalizer, of U+2581 alone.
struct SpaceMarkNormalizer {
  bool prepends = false;  // one before each stretch of text
  bool replaces = false;  // each space

  Characters normalize(Characters text) const;
};

}  // namespace limelight::detail
