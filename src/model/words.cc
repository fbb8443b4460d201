// The words of a text, the same for every model.
// A character here is what a reader sees as one (a grapheme cluster of UAX 29): a letter with its marks, a flag, an
// emoji joined from several. So nothing visible is cut in two.
#include "limelight/tokenizer.h"
#include "model/unicode.h"
#include "model/utf8.h"

namespace limelight {
namespace {

using detail::Characters;
using detail::Range;

enum class Kind {
  kInvisible,  // white space, controls
  kLetter,
  kNumber,  // and a mark without a letter
  kApostrophe,
  kAlone,  // ideographs, and every other visible character
};

// Chinese characters are words of their own; kana and Hangul run like other letters. Planes 2 and 3 are set aside for
// them.
bool is_ideograph(char32_t c) {
  return (c >= 0x3005 && c <= 0x3007) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

Kind kind_of(char32_t code) {
  if (detail::is_white_space(code) || detail::is_control(code)) return Kind::kInvisible;
  if (is_ideograph(code)) return Kind::kAlone;
  if (detail::is_letter(code)) return Kind::kLetter;
  if (detail::is_number(code) || detail::is_mark(code)) return Kind::kNumber;
  return code == U'\'' || code == U'\u2019' ? Kind::kApostrophe : Kind::kAlone;
}

// What a reader sees as one character, from its first visible code point, which tells its kind.
struct Seen {
  Kind kind = Kind::kInvisible;
  Span span;
};

std::vector<Seen> seen_in(const Characters& text) {
  std::vector<Seen> seen;
  int state = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool starts = i == 0 || detail::starts_grapheme(text.codes[i - 1], text.codes[i], state);
    if (starts || seen.back().kind == Kind::kInvisible) {
      if (starts) seen.emplace_back();
      seen.back() = {kind_of(text.codes[i]), text.spans[i]};
    }
    seen.back().span.end = text.spans[i].end;
  }
  return seen;
}

}  // namespace

std::vector<Span> words_of(std::string_view text) {
  const std::vector<Seen> seen = seen_in(detail::decode_utf8(text, "words_of"));
  const auto is_letter = [&](size_t i) { return i < seen.size() && seen[i].kind == Kind::kLetter; };
  std::vector<Span> words;
  bool inside = false;  // the last word goes on
  for (size_t i = 0; i < seen.size(); ++i) {
    const bool joins = seen[i].kind == Kind::kApostrophe && i > 0 && is_letter(i - 1) && is_letter(i + 1);
    const bool runs = joins || is_letter(i) || seen[i].kind == Kind::kNumber;
    if (inside && runs) {
      words.back().end = seen[i].span.end;
    } else if (seen[i].kind != Kind::kInvisible) {
      words.push_back(seen[i].span);
    }
    inside = runs;
  }
  return words;
}

}  // namespace limelight
