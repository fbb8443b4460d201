// From text to pieces and words, each with its exact span in the text, and from pieces back to text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limelight {

class GgufFile;
namespace detail {
struct TokenizerConfig;
}

// Bytes [begin, end) of the UTF-8 text.
struct Span {
  int64_t begin = 0;
  int64_t end = 0;
  bool operator==(const Span&) const = default;
};

struct Token {
  int32_t id = 0;
  std::string piece;     // as in the vocabulary, "##ing", "\u0120animal"
  Span span;             // whole characters, also of a piece of one; 0, 0 for a special token the text does not hold
  bool special = false;  // added by the template, as [CLS] and [SEP]
};

struct DecodeOptions {
  bool special = false;    // show special tokens, as <|im_end|>
  bool continued = false;  // the ids go on after others, so the first piece keeps its space
};

// WordPiece, byte-level BPE (GPT-2, RoBERTa, Llama 3, Qwen2, SmolLM) or SentencePiece's BPE of characters with bytes
// for the rest (Llama 2, Mistral), with added tokens and a template, as a file describes it. The file's truncation and
// padding settings are ignored. Steps that are not known are refused by name (FormatError). Immutable: safe from
// several threads at once.
class Tokenizer {
 public:
  // A tokenizer.json, or the metadata of a .gguf file.
  static Tokenizer load(const std::filesystem::path& path);
  explicit Tokenizer(const GgufFile& file);  // keeps nothing of it
  explicit Tokenizer(detail::TokenizerConfig config);
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  // Time n log n in the text at most. Throws std::invalid_argument naming the byte when the text is not UTF-8.
  std::vector<Token> encode(std::string_view text) const;

  // UTF-8 whatever the ids: bytes that are no character become U+FFFD. Of BPE the text that was encoded, but for what a
  // normaliser, a prefix, a stripping token or a byte without a piece took or gave. Words of WordPiece get spaces
  // between. Throws std::invalid_argument for an id without a piece.
  std::string decode(std::span<const int32_t> ids, const DecodeOptions& options = {}) const;

  int64_t vocabulary_size() const;                            // one more than the largest id
  bool has_piece(int32_t id) const;                           // ids may leave gaps
  std::optional<int32_t> find(std::string_view piece) const;  // the id of a piece or added token

  // What a text begins with and what a model ends it with; only GGUF files tell.
  std::optional<int32_t> first_id() const;
  std::optional<int32_t> last_id() const;

 private:
  friend class TokenDecoder;
  struct State;
  std::unique_ptr<State> state_;
};

// Decodes ids as they come. The texts of push() and finish(), one after the other, are what decode() gives; none ends
// inside a character. The tokenizer must outlive it.
class TokenDecoder {
 public:
  explicit TokenDecoder(const Tokenizer& tokenizer, const DecodeOptions& options = {});

  std::string push(int32_t id);  // throws std::invalid_argument for an id without a piece
  std::string finish();          // what was held back, as U+FFFD; then it is as new

 private:
  const Tokenizer* tokenizer_;
  DecodeOptions options_;
  bool at_start_;
  std::string held_;  // the first bytes of a character
};

// The words of a text, the same for every model, in reading order: a run of letters, digits and marks, with an
// apostrophe (' or U+2019) between letters inside it. Every other visible character, and each CJK character, is a word
// of its own. A character is what a reader sees as one (a grapheme cluster of UAX 29): no letter loses its marks.
// Throws std::invalid_argument naming the byte when the text is not UTF-8.
std::vector<Span> words_of(std::string_view text);

// Code points before byte `offset` of `text`, which JSON offsets count in.
int64_t code_points(std::string_view text, int64_t offset);

}  // namespace limelight
