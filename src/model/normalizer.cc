// BERT's text normalisation and splitting.
#include "model/normalizer.h"

#include "model/unicode.h"

namespace limelight::detail {
namespace {

Characters clean(const Characters& text) {
  Characters result;
  for (size_t i = 0; i < text.size(); ++i) {
    const char32_t code = text.codes[i];
    const bool line_white = code == U'\t' || code == U'\n' || code == U'\r';
    const bool dropped = code == 0 || code == 0xFFFD || is_control(code) || is_private_use(code);
    if (dropped && !line_white) continue;
    result.push(is_white_space(code) ? U' ' : code, text.spans[i]);
  }
  return result;
}

// The blocks that BertNormalizer spells out, as the public implementation has them (2B920 included).
bool is_chinese_char(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

Characters pad_chinese(const Characters& text) {
  Characters result;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool padded = is_chinese_char(text.codes[i]);
    if (padded) result.push(U' ', text.spans[i]);
    result.push(text.codes[i], text.spans[i]);
    if (padded) result.push(U' ', text.spans[i]);
  }
  return result;
}

// Marks may change places; sources are handed out in their own order, so that spans never run backwards.
Characters without_accents(const Characters& text) {
  Characters result;
  size_t sources = 0;  // handed out so far
  for (const auto& [code, first] : decompose(text.codes)) {
    if (first) ++sources;
    if (!is_nonspacing_mark(code)) result.push(code, text.spans[sources - 1]);
  }
  return result;
}

Characters lower(const Characters& text) {
  Characters result;
  for (size_t i = 0; i < text.size(); ++i) {
    append_lowercase(text.codes[i], result.codes);
    result.spans.resize(result.codes.size(), text.spans[i]);
  }
  return result;
}

}  // namespace

Characters BertNormalizer::normalize(const Characters& text) const {
  Characters result = clean_text ? clean(text) : text;
  if (handle_chinese_chars) result = pad_chinese(result);
  if (strip_accents) result = without_accents(result);
  if (lowercase) result = lower(result);
  return result;
}

bool is_bert_punctuation(char32_t code) {
  const bool ascii = (code >= 0x21 && code <= 0x2F) || (code >= 0x3A && code <= 0x40) ||
                     (code >= 0x5B && code <= 0x60) || (code >= 0x7B && code <= 0x7E);
  return ascii || is_punctuation(code);
}

std::vector<Range> split_words(std::u32string_view text) {
  std::vector<Range> words;
  bool inside = false;  // the last word goes on
  for (size_t i = 0; i < text.size(); ++i) {
    const bool alone = is_bert_punctuation(text[i]);
    if (is_white_space(text[i])) {
      inside = false;
    } else if (inside && !alone) {
      words.back().end = i + 1;
    } else {
      words.push_back({i, i + 1});
      inside = !alone;
    }
  }
  return words;
}

}  // namespace limelight::detail
