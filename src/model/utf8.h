// UTF-8 to code points, each with the bytes it came from.
// Everything after this works on code points; a span is what leads back to the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "limelight/tokenizer.h"

namespace limelight::detail {

// Characters [begin, end) of a Characters.
struct Range {
  size_t begin = 0;
  size_t end = 0;
};

// Code points side by side with their sources. Spans never run backwards; several code points may share one.
struct Characters {
  std::u32string codes;
  std::vector<Span> spans;

  size_t size() const { return codes.size(); }
  void push(char32_t code, Span span);
  Characters part(Range range) const;
  std::u32string_view codes_of(Range range) const;
  Span span_of(Range range) const;  // of a range that is not empty: from its first source to its last
};

// Throws std::invalid_argument "[where] text: ..." naming the byte where a sequence is overlong, truncated, a surrogate
// or beyond U+10FFFF.
Characters decode_utf8(std::string_view text, const char* where);

void append_utf8(char32_t code, std::string& out);

// What bytes that are not empty begin with: a character, one that ends before it is whole, or `length` bytes of none.
struct Utf8Sequence {
  enum class Kind { kWhole, kCut, kBroken } kind = Kind::kBroken;
  size_t length = 0;  // for kBroken the bytes a reader shows as one U+FFFD
};
Utf8Sequence utf8_sequence(std::string_view bytes);

bool is_utf8(std::string_view text);

}  // namespace limelight::detail
