// The regular expressions that byte-level models cut text with, as scanners written by hand.
#include "model/pretokenizer_scanners.h"

#include <algorithm>

#include "model/unicode.h"

namespace limelight::detail {
namespace {

enum class Kind { kLetter, kNumber, kSpace, kOther };  // \p{L}, \p{N}, \s, [^\s\p{L}\p{N}]

Kind kind_of(char32_t code) {
  if (is_letter(code)) return Kind::kLetter;
  if (is_number(code)) return Kind::kNumber;
  return is_white_space(code) ? Kind::kSpace : Kind::kOther;
}

bool is_line_end(char32_t code) {
  return code == U'\r' || code == U'\n';
}

size_t end_of_run(std::u32string_view text, size_t at, Kind kind) {
  while (at < text.size() && kind_of(text[at]) == kind) ++at;
  return at;
}

// 's|'t|'re|'ve|'m|'ll|'d, the length or 0. Without regard to case, the long s is an s too.
size_t contraction(std::u32string_view rest, bool any_case) {
  const auto is = [&](size_t i, char32_t lower) {
    if (i >= rest.size()) return false;
    return rest[i] == lower ||
           (any_case && (rest[i] == lower - U'a' + U'A' || (lower == U's' && rest[i] == U'\u017F')));
  };
  if (rest.front() != U'\'') return 0;
  if (is(1, U's') || is(1, U't') || is(1, U'm') || is(1, U'd')) return 2;
  const bool two = (is(1, U'r') && is(2, U'e')) || (is(1, U'v') && is(2, U'e')) || (is(1, U'l') && is(2, U'l'));
  return two ? 3 : 0;
}

// \s+(?!\S)|\s+: white space before something leaves one of it behind, if there is more than one.
size_t end_of_space(std::u32string_view text, size_t begin) {
  const size_t end = end_of_run(text, begin, Kind::kSpace);
  return end == text.size() || end - begin == 1 ? end : end - 1;
}

}  // namespace

size_t end_of_gpt2_piece(std::u32string_view text, size_t begin) {
  if (const size_t length = contraction(text.substr(begin), false)) return begin + length;
  const size_t first = text[begin] == U' ' && begin + 1 < text.size() ? begin + 1 : begin;
  const Kind kind = kind_of(text[first]);
  return kind == Kind::kSpace ? end_of_space(text, begin) : end_of_run(text, first, kind);
}

size_t end_of_llama3_piece(std::u32string_view text, size_t begin, size_t most_digits) {
  if (const size_t length = contraction(text.substr(begin), true)) return begin + length;
  const auto next_is = [&](Kind kind) { return begin + 1 < text.size() && kind_of(text[begin + 1]) == kind; };
  const Kind kind = kind_of(text[begin]);
  if (kind == Kind::kLetter) return end_of_run(text, begin, kind);
  if (kind == Kind::kNumber) return end_of_run(text.substr(0, std::min(text.size(), begin + most_digits)), begin, kind);
  if (!is_line_end(text[begin]) && next_is(Kind::kLetter)) return end_of_run(text, begin + 1, Kind::kLetter);
  if (kind == Kind::kOther || (text[begin] == U' ' && next_is(Kind::kOther))) {
    size_t end = end_of_run(text, begin + 1, Kind::kOther);
    while (end < text.size() && is_line_end(text[end])) ++end;
    return end;
  }
  for (size_t end = end_of_run(text, begin, Kind::kSpace); end > begin; --end) {
    if (is_line_end(text[end - 1])) return end;
  }
  return end_of_space(text, begin);
}

}  // namespace limelight::detail
