// Bytes written as visible characters, one each, as GPT-2's vocabularies write them.
#include "model/byte_level.h"

#include <array>

#include "model/utf8.h"

namespace limelight::detail {
namespace {

constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Table {
  std::array<char32_t, 256> characters{};
  std::array<int, 0x144> bytes{};  // -1: stands for none
};

constexpr Table make_table() {
  Table table;
  for (int& byte : table.bytes) byte = -1;
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    table.characters[byte] = stands_for_itself(byte) ? static_cast<char32_t>(byte) : next++;
    table.bytes[table.characters[byte]] = static_cast<int>(byte);
  }
  return table;
}

constexpr Table kTable = make_table();

}  // namespace

char32_t character_of_byte(unsigned char byte) {
  return kTable.characters[byte];
}

std::string piece_of_byte(unsigned char byte) {
  std::string piece;
  append_utf8(character_of_byte(byte), piece);
  return piece;
}

std::optional<std::string> bytes_of_piece(std::string_view piece) {
  std::string bytes;
  for (const char32_t code : decode_utf8(piece, "bytes_of_piece").codes) {
    if (code >= kTable.bytes.size() || kTable.bytes[code] < 0) return std::nullopt;
    bytes += static_cast<char>(kTable.bytes[code]);
  }
  return bytes;
}

}  // namespace limelight::detail
