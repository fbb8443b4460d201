// Where each token of a text that is being written looks: its row in one head, merged to words as they stand then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reader.h"

namespace limelight::studio {

struct WatchedHead {
  int64_t layer = 0;
  int64_t head = 0;
};

// "L13.H8"; nothing where the text is none.
std::optional<WatchedHead> parse_head(std::string_view text);

struct TokenLight {
  struct Word {
    std::string word;
    int64_t index = 0;  // in reading order
    double weight = 0;  // without the first token's
  };
  std::string token;      // its text
  std::vector<Word> top;  // the strongest words, from the strongest
  double first = 0;       // the share of the first token of the text
};

// Takes O(T) memory: the text, its tokens and one row at a time.
class TokenWatch {
 public:
  // Throws std::invalid_argument for a head that the model does not have. The model must outlive it.
  TokenWatch(const DecoderReader& model, std::string prompt, WatchedHead head, size_t words);

  void add(int32_t id);  // the next token of the text

  // To be called by the observer of the pass over the token added last; nothing for other layers and for the prompt.
  std::optional<TokenLight> see(const LayerAttention& seen) const;

 private:
  const Tokenizer& tokenizer_;
  const WatchedHead head_;
  const size_t words_;
  std::string text_;
  std::vector<Token> tokens_;
  const int64_t prompt_tokens_;
  TokenDecoder decoder_;
  size_t whole_;  // tokens whose characters are complete
};

}  // namespace limelight::studio
