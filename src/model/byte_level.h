// Bytes written as visible characters, one each, as GPT-2's vocabularies write them.
// Visible Latin-1 stands for itself; the 68 others, in order, for U+0100 and on: a space is U+0120.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace limelight::detail {

char32_t character_of_byte(unsigned char byte);
std::string piece_of_byte(unsigned char byte);  // the same in UTF-8

// The bytes of a piece; nullopt when a character of it stands for no byte.
std::optional<std::string> bytes_of_piece(std::string_view piece);

}  // namespace limelight::detail
