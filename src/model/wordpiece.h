// WordPiece: a word becomes the longest pieces of the vocabulary from left to right, or one unknown token.
// (Wu et al. 2016; greedy longest match first, as BERT reads it.)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/codes_map.h"
#include "model/utf8.h"
#include "model/vocabulary.h"

namespace limelight::detail {

struct WordPieceConfig {
  std::vector<Piece> vocabulary;
  Piece unknown;
  std::string continuing_subword_prefix;
  int64_t max_input_chars_per_word = 100;
};

class WordPiece {
 public:
  explicit WordPiece(WordPieceConfig config);

  // Appends the pieces of one word, each with its span in the source. Time: word length times longest piece.
  void encode(const Characters& text, Range word, std::vector<Token>& tokens) const;

 private:
  // Pieces that may begin a word, or go on with one (held without the prefix), by index in the vocabulary.
  struct Pieces {
    CodesMap<size_t> index;
    size_t longest = 0;

    void add(std::u32string codes, size_t piece);
    const size_t* longest_match(std::u32string_view rest, size_t& length) const;
  };

  WordPieceConfig config_;
  Pieces first_, next_;
};

}  // namespace limelight::detail
