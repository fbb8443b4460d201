// What a code point is, and what it becomes: the properties that tokenizers and words ask for.
// From utf8proc's tables (Unicode 15 in Debian 12).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace limelight::detail {

bool is_white_space(char32_t code);      // White_Space: Z*, U+0009 to U+000D, U+0085
bool is_control(char32_t code);          // Cc, Cf
bool is_private_use(char32_t code);      // Co
bool is_punctuation(char32_t code);      // P*
bool is_letter(char32_t code);           // L*
bool is_number(char32_t code);           // N*
bool is_mark(char32_t code);             // M*
bool is_nonspacing_mark(char32_t code);  // Mn
bool is_regex_word(char32_t code);       // \w of UTS 18: Alphabetic, M*, Nd, Pc, Join_Control
bool starts_grapheme(char32_t previous, char32_t code, int& state);  // state 0 at the text's first pair

// Appends the full lower case, without regard to neighbours.
void append_lowercase(char32_t code, std::u32string& out);

// The canonical decomposition of a text (NFD): marks in canonical order. `first` tells the first code of each source.
struct Decomposed {
  char32_t code = 0;
  bool first = false;
};
std::vector<Decomposed> decompose(std::u32string_view text);

int combining_class(char32_t code);

// The one code that is canonically the same as the two (their primary composite); 0: there is none.
char32_t composite_of(char32_t first, char32_t second);

}  // namespace limelight::detail
