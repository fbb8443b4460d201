// From a stretch of text to the words that a model cuts into pieces: steps, each cutting what the one before left
// whole.
#pragma once

#include <vector>

#include "model/utf8.h"

namespace limelight::detail {

enum class WordStep {
  kBertWords,        // white space goes; each punctuation character is a word (BertPreTokenizer)
  kDigits,           // each number character by itself
  kDigitRuns,        // runs of number characters apart from the rest
  kDigitTriples,     // each three of 0 to 9 in a row by themselves
  kPunctuation,      // each punctuation character by itself
  kPunctuationRuns,  // runs of them apart from the rest
  kSymbolRuns,       // runs of P* and $+<=>^~| apart from the rest
  kGpt2,             // the patterns of pretokenizer_scanners.h
  kLlama3,
  kQwen2,
  kSpaceMarks,  // each U+2581 begins a word (Metaspace)
};

// What goes before each stretch of text.
enum class TextPrefix {
  kNone,
  kMissingSpace,         // a space, where there is none
  kMissingSpaceAtStart,  // that only where the text begins
};

struct Pretokenizer {
  TextPrefix prefix = TextPrefix::kNone;
  std::vector<WordStep> steps;
  bool marks_spaces = false;  // a space is U+2581 here, the prefix too

  // A stretch that is not empty, marked, with the prefix, whose span is empty.
  Characters prepared(Characters text) const;
  // The words of a stretch in order; without steps the whole.
  std::vector<Range> split(std::u32string_view text) const;
};

}  // namespace limelight::detail
