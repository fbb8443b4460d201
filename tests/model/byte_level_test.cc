// Bytes as visible characters: each has one of its own, and the way back.
#include "model/byte_level.h"

#include <gtest/gtest.h>

#include <set>

#include "model/unicode.h"

namespace limelight::detail {
namespace {

TEST(ByteLevel, EveryByteHasAVisibleCharacterOfItsOwn) {
  std::set<char32_t> characters;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t code = character_of_byte(static_cast<unsigned char>(byte));
    EXPECT_TRUE(characters.insert(code).second) << byte;
    EXPECT_FALSE(is_white_space(code) || is_control(code)) << byte;
    EXPECT_EQ(bytes_of_piece(piece_of_byte(static_cast<unsigned char>(byte))), std::string(1, static_cast<char>(byte)));
  }
}

TEST(ByteLevel, TheLastRemappedByteIsTheSoftHyphen) {
  EXPECT_EQ(character_of_byte(' '), U'\u0120');
  EXPECT_EQ(character_of_byte('\n'), U'\u010A');
  EXPECT_EQ(character_of_byte(0xAD), U'\u0143');
  EXPECT_EQ(bytes_of_piece("\u00E5\u0143\u00A3"), "\u5B63");
  EXPECT_EQ(bytes_of_piece("\u00C3\u0143"), "\u00ED");
}

TEST(ByteLevel, WhatStandsForNoByteHasNone) {
  EXPECT_EQ(bytes_of_piece(""), "");
  for (const char* piece : {" ", "a b", "\u0144", "\u00AD", "\n", "\u4E2D"})
    EXPECT_EQ(bytes_of_piece(piece), std::nullopt);
}

}  // namespace
}  // namespace limelight::detail
