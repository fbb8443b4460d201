// How a model reads a text: its tokens, the words they belong to, and words found by how they are spelt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reader.h"

namespace limelight::studio {

// A word, or with pieces asked for one of its pieces, and the tokens that spell it.
struct Unit {
  std::string text;
  std::vector<int64_t> tokens;
  Span span{};  // in the text; of a piece without the space that it brings
};

// The words of a text but for those that spell a special token in it.
struct Reading {
  std::string text;  // as read: shorter than given when it was cut
  std::vector<Token> tokens;
  std::vector<int32_t> ids{};
  std::vector<Unit> words{};       // in reading order; a word the model has no piece for has no tokens
  std::vector<Unit> pieces{};      // every token that belongs to a word
  std::vector<int64_t> special{};  // every token that does not: special ones and blank ones
  std::vector<std::string> notes{};
};

// 1 where a space stands before the unit, else 0.
std::vector<int64_t> gaps_before(const std::vector<Unit>& units);

enum class TooLong { kRefuse, kCut };

// The words of `text` and the tokens that spell them. A token belongs to the first word it overlaps.
Reading read_tokens(const Tokenizer& tokenizer, std::string_view text, std::vector<Token> tokens);

// Throws std::invalid_argument when the text is not UTF-8, holds no word, or is longer than the model takes and may not
// be cut; a cut falls between words and is told in notes.
Reading read_text(const Reader& model, std::string_view text, TooLong too_long = TooLong::kRefuse);

// The index of the word spelt `asked`, whatever its case; "it:2" is the second one, and "#7", which is no word's
// spelling, the word number 7 from 0. Throws std::invalid_argument naming near words when there is none, and the
// occurrences when there are several to choose from.
int64_t find_word(const Reading& reading, std::string_view asked);

}  // namespace limelight::studio
