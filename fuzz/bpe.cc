// Any merges and any text: pieces cover the text in order, and decoding gives it again. Input: merges of two bytes that
// name earlier pieces, a zero byte, the text.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>

#include "limelight/error.h"
#include "model/byte_level.h"
#include "model/tokenizer_parts.h"

using namespace limelight;

namespace {

// What TokenizerParts look into.
struct Vocabulary {
  std::deque<std::string> tokens, merges;
};

detail::TokenizerParts parts_of(const Vocabulary& vocabulary, uint8_t choice) {
  constexpr std::string_view kPre[] = {"gpt-2", "smollm", "llama-bpe", "qwen2", "default"};
  detail::TokenizerParts parts;
  parts.file = "f";
  parts.model = "gpt2";
  parts.pre = kPre[choice % std::size(kPre)];
  parts.tokens.assign(vocabulary.tokens.begin(), vocabulary.tokens.end());
  parts.merges.assign(vocabulary.merges.begin(), vocabulary.merges.end());
  parts.add_bos = false;
  return parts;
}

void check(const Tokenizer& tokenizer, std::string_view text, bool composed) {
  std::vector<int32_t> ids;
  Span last;
  for (const Token& token : tokenizer.encode(text)) {
    ids.push_back(token.id);
    // A character cut into pieces is spanned by each of them.
    const bool follows = token.span.begin <= last.end && token.span.begin >= last.begin && token.span.end >= last.end;
    if (!follows || token.span.begin == token.span.end) __builtin_trap();
    last = token.span;
  }
  if (last.end != static_cast<int64_t>(text.size())) __builtin_trap();
  if (!composed && tokenizer.decode(ids) != text) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  Vocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte)
    vocabulary.tokens.push_back(detail::piece_of_byte(static_cast<unsigned char>(byte)));
  size_t at = 1;
  for (; at + 1 < size && data[at] != 0; at += 2) {
    const auto piece = [&](uint8_t back) { return vocabulary.tokens[vocabulary.tokens.size() - 1 - back]; };
    const std::string left = piece(data[at]), right = piece(data[at + 1]);
    if (left.size() + right.size() > 64) continue;
    vocabulary.merges.push_back(left + " " + right);
    vocabulary.tokens.push_back(left + right);
  }
  try {
    const Tokenizer tokenizer(detail::tokenizer_config(parts_of(vocabulary, data[0])));
    at = std::min(size, at + 1);
    check(tokenizer, {reinterpret_cast<const char*>(data) + at, size - at}, data[0] % 5 == 3);
  } catch (const FormatError&) {            // a piece or a merge twice
  } catch (const std::invalid_argument&) {  // no UTF-8
  }
  return 0;
}
