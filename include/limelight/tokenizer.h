// From text to pieces and words, each with its exact span in the text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace limelight {

// Bytes [begin, end) of the UTF-8 text.
struct Span {
  int64_t begin = 0;
  int64_t end = 0;
  bool operator==(const Span&) const = default;
};

struct Token {
  int32_t id = 0;
  std::string piece;     // as in the vocabulary, "##ing"
  Span span;             // 0, 0 for a special token the text does not hold
  bool special = false;  // added by the template, as [CLS] and [SEP]
};

// WordPiece as tokenizer.json describes it (BertNormalizer, BertPreTokenizer, WordPiece, added tokens, template).
// The file's truncation and padding settings are ignored. Steps that are not known are refused by name (FormatError).
class Tokenizer {
 public:
  static Tokenizer load(const std::filesystem::path& tokenizer_json);
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  // Linear in the text. Throws std::invalid_argument naming the byte when the text is not UTF-8.
  std::vector<Token> encode(std::string_view text) const;
  int64_t vocabulary_size() const;  // one more than the largest id

 private:
  struct State;
  explicit Tokenizer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The words of a text, the same for every model, in reading order: a run of letters, digits and marks, with an
// apostrophe (' or U+2019) between letters inside it. Every other visible character, and each CJK character, is a word
// of its own. A character is what a reader sees as one (a grapheme cluster of UAX 29): no letter loses its marks.
// Throws std::invalid_argument naming the byte when the text is not UTF-8.
std::vector<Span> words_of(std::string_view text);

// Code points before byte `offset` of `text`, which JSON offsets count in.
int64_t code_points(std::string_view text, int64_t offset);

}  // namespace limelight
