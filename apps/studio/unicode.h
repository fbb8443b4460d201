// Code points of UTF-8 text: what a person is shown of it, folding case for comparison, columns on a terminal, distance
// between spellings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace limelight::studio {

// Bytes that are not UTF-8 become U+FFFD, one each.
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view points);

// On one line: what would end it, move the cursor or turn the reading direction (UAX 9) becomes a sign that is seen, as
// U+241B for ESC, but for `kept`.
std::string one_line(std::string_view text, std::u32string_view kept = {});

// At most `width` columns of the text; an ellipsis where it is longer.
std::string shortened(std::string_view text, int64_t width);

// Both: a word, name or piece as every line and table for people shows it, whatever a file or user put into it. It may
// be a megabyte.
std::string legible(std::string_view text);

// Lower case, and U+2019 as an apostrophe: two spellings of one word fold to the same.
std::u32string fold(std::string_view text);

// Columns a terminal gives: 2 for wide characters, 0 for combining marks and what cannot be seen.
int64_t display_width(char32_t point);
int64_t display_width(std::string_view text);

// Insertions, deletions and substitutions between the two (Levenshtein 1965).
int64_t edit_distance(std::u32string_view a, std::u32string_view b);

}  // namespace limelight::studio
