// BERT's text normalisation and splitting: clean, set ideographs apart, strip accents, lower the case, cut into words.
// As in tokenizer.json's BertNormalizer and BertPreTokenizer; every character keeps the span of its source.
#pragma once

#include <vector>

#include "model/utf8.h"

namespace limelight::detail {

struct BertNormalizer {
  bool clean_text = true;            // drop U+0000, U+FFFD, controls, private use; white space becomes a space
  bool handle_chinese_chars = true;  // a space on each side of an ideograph
  bool strip_accents = true;         // decompose (NFD) and drop nonspacing marks
  bool lowercase = true;

  Characters normalize(const Characters& text) const;
};

bool is_bert_punctuation(char32_t code);  // P*, and ASCII symbols such as $ and ^

// Words between white space; each punctuation character is a word of its own.
std::vector<Range> split_words(std::u32string_view text);

}  // namespace limelight::detail
