// What a code point is, and what it becomes.
#include "model/unicode.h"

#include <utf8proc.h>

#include <algorithm>

namespace limelight::detail {

int combining_class(char32_t code) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(code))->combining_class;
}

namespace {

utf8proc_category_t category(char32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

bool between(utf8proc_category_t value, utf8proc_category_t first, utf8proc_category_t last) {
  return first <= value && value <= last;
}

// Circled and squared letters are symbols that Unicode calls alphabetic; utf8proc has no table of that property.
bool is_alphabetic_symbol(char32_t code) {
  return (code >= 0x24B6 && code <= 0x24E9) || (code >= 0x1F130 && code <= 0x1F149) ||
         (code >= 0x1F150 && code <= 0x1F169) || (code >= 0x1F170 && code <= 0x1F189);
}

// Puts every run of combining characters in order of combining class, stable.
void order_marks(std::vector<Decomposed>& text) {
  for (auto first = text.begin(); first != text.end(); ++first) {
    if (combining_class(first->code) == 0) continue;
    const auto last = std::find_if(first, text.end(), [](const Decomposed& d) { return combining_class(d.code) == 0; });
    std::stable_sort(first, last, [](const Decomposed& a, const Decomposed& b) {
      return combining_class(a.code) < combining_class(b.code);
    });
    first = last - 1;
  }
}

}  // namespace

bool is_white_space(char32_t code) {
  return (code >= 0x09 && code <= 0x0D) || code == 0x85 ||
         between(category(code), UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_ZP);
}

bool is_control(char32_t code) {
  return between(category(code), UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CF);
}

bool is_private_use(char32_t code) {
  return category(code) == UTF8PROC_CATEGORY_CO;
}

bool is_punctuation(char32_t code) {
  return between(category(code), UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}

bool is_letter(char32_t code) {
  return between(category(code), UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO);
}

bool is_number(char32_t code) {
  return between(category(code), UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

bool is_mark(char32_t code) {
  return between(category(code), UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME);
}

bool is_nonspacing_mark(char32_t code) {
  return category(code) == UTF8PROC_CATEGORY_MN;
}

bool is_regex_word(char32_t code) {
  const utf8proc_category_t c = category(code);
  return between(c, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_NL) || c == UTF8PROC_CATEGORY_PC || code == 0x200C ||
         code == 0x200D || is_alphabetic_symbol(code);
}

bool starts_grapheme(char32_t previous, char32_t code, int& state) {
  return utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(previous), static_cast<utf8proc_int32_t>(code),
                                          &state);
}

void append_lowercase(char32_t code, std::u32string& out) {
  // The one lower case of two code points: I with a dot above.
  if (code == 0x130) {
    out += U"i\u0307";
  } else {
    out += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code)));
  }
}

std::vector<Decomposed> decompose(std::u32string_view text) {
  std::vector<Decomposed> result;
  result.reserve(text.size());
  for (char32_t code : text) {
    utf8proc_int32_t parts[8];  // the longest canonical decomposition has four
    int boundary = 0;
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), parts, 8, UTF8PROC_DECOMPOSE, &boundary);
    for (utf8proc_ssize_t i = 0; i < count; ++i) result.push_back({static_cast<char32_t>(parts[i]), i == 0});
  }
  order_marks(result);
  return result;
}

char32_t composite_of(char32_t first, char32_t second) {
  utf8proc_int32_t pair[] = {static_cast<utf8proc_int32_t>(first), static_cast<utf8proc_int32_t>(second)};
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  return utf8proc_normalize_utf32(pair, 2, options) == 1 ? static_cast<char32_t>(pair[0]) : 0;
}

}  // namespace limelight::detail
