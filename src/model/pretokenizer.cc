// From a stretch of text to the words that a model cuts into pieces.
#include "model/pretokenizer.h"

#include <algorithm>

#include "model/normalizer.h"
#include "model/pretokenizer_scanners.h"
#include "model/space_marks.h"
#include "model/unicode.h"

namespace limelight::detail {
namespace {

// Pieces that follow each other; end_of(begin) tells where the one at `begin` ends.
template <class EndOf>
std::vector<Range> pieces(std::u32string_view text, const EndOf& end_of) {
  std::vector<Range> result;
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    end = end_of(begin);
    result.push_back({begin, end});
  }
  return result;
}

// Runs of what belongs to a class, and of what does not.
template <class Belongs>
std::vector<Range> runs(std::u32string_view text, const Belongs& belongs, size_t longest = std::u32string_view::npos) {
  return pieces(text, [&](size_t begin) {
    const bool inside = belongs(text[begin]);
    size_t end = begin + 1;
    while (end < text.size() && (!inside || end - begin < longest) && belongs(text[end]) == inside) ++end;
    return end;
  });
}

bool is_split_symbol(char32_t code) {
  return is_punctuation(code) || std::u32string_view(U"$+<=>^~|").find(code) != std::u32string_view::npos;
}

bool three_digits(std::u32string_view text, size_t at) {
  const auto is_digit = [&](size_t i) { return text[i] >= U'0' && text[i] <= U'9'; };
  return at + 3 <= text.size() && is_digit(at) && is_digit(at + 1) && is_digit(at + 2);
}

std::vector<Range> digit_triples(std::u32string_view text) {
  return pieces(text, [&](size_t begin) {
    if (three_digits(text, begin)) return begin + 3;
    size_t end = begin + 1;
    while (end < text.size() && !three_digits(text, end)) ++end;
    return end;
  });
}

std::vector<Range> split_once(WordStep step, std::u32string_view text) {
  switch (step) {
    case WordStep::kBertWords:
      return split_words(text);
    case WordStep::kDigits:
      return runs(text, is_number, 1);
    case WordStep::kDigitRuns:
      return runs(text, is_number);
    case WordStep::kDigitTriples:
      return digit_triples(text);
    case WordStep::kPunctuation:
      return runs(text, is_bert_punctuation, 1);
    case WordStep::kPunctuationRuns:
      return runs(text, is_bert_punctuation);
    case WordStep::kSymbolRuns:
      return runs(text, is_split_symbol);
    case WordStep::kGpt2:
      return pieces(text, [&](size_t begin) { return end_of_gpt2_piece(text, begin); });
    case WordStep::kLlama3:
      return pieces(text, [&](size_t begin) { return end_of_llama3_piece(text, begin, 3); });
    case WordStep::kQwen2:
      return pieces(text, [&](size_t begin) { return end_of_llama3_piece(text, begin, 1); });
    case WordStep::kSpaceMarks:
      return pieces(text, [&](size_t begin) { return std::min(text.find(kSpaceMark, begin + 1), text.size()); });
  }
  return {};
}

}  // namespace

Characters Pretokenizer::prepared(Characters text) const {
  const char32_t space = marks_spaces ? kSpaceMark : U' ';
  if (marks_spaces) mark_spaces(text);
  const bool at_start = prefix != TextPrefix::kMissingSpaceAtStart || text.spans.front().begin == 0;
  const bool missing = text.codes.front() != space && at_start;
  if (prefix != TextPrefix::kNone && missing) prepend(text, space);
  return text;
}

std::vector<Range> Pretokenizer::split(std::u32string_view text) const {
  std::vector<Range> words = {{0, text.size()}};
  for (const WordStep step : steps) {
    std::vector<Range> finer;
    for (const auto& [begin, end] : words) {
      for (const Range piece : split_once(step, text.substr(begin, end - begin)))
        finer.push_back({begin + piece.begin, begin + piece.end});
    }
    words = std::move(finer);
  }
  return words;
}

}  // namespace limelight::detail
