// Added tokens: strings that are found whole in the text, before it is cut into words.
// Leftmost first, and of those that start together the longest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/codes_map.h"
#include "model/utf8.h"
#include "model/vocabulary.h"

namespace limelight::detail {

struct AddedToken {
  Piece piece;
  bool single_word = false;  // not inside or beside a word
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;       // takes the white space after it
  bool normalized = false;   // matched in the normalised text, in its own normalised form
  bool special = false;      // no text of a reader: decoding leaves it out
};

class AddedTokens {
 public:
  // `form` is what to look for; an empty one is never found, and of two equal ones the first counts.
  void add(const AddedToken& token, std::u32string form);

  // The whole text in order: added tokens, and the stretches between them (token nullptr, never empty). Two tokens
  // overlap where the second begins with white space that the first takes.
  struct Segment {
    Range range;
    const AddedToken* token = nullptr;
  };
  std::vector<Segment> split(std::u32string_view text) const;

 private:
  const AddedToken* longest_match(std::u32string_view rest, size_t& length) const;

  CodesMap<AddedToken> tokens_;
  std::unordered_map<char32_t, std::vector<size_t>> lengths_;  // of forms that start so, longest first
};

}  // namespace limelight::detail
