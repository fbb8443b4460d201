// UTF-8 to code points, each with the bytes it came from.
#include "model/utf8.h"

#include <utf8proc.h>

#include <algorithm>

#include "core/error.h"

namespace limelight {
namespace detail {
namespace {

bool continues_sequence(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

}  // namespace

void Characters::push(char32_t code, Span span) {
  codes.push_back(code);
  spans.push_back(span);
}

Characters Characters::part(Range range) const {
  const auto first = static_cast<ptrdiff_t>(range.begin), last = static_cast<ptrdiff_t>(range.end);
  return {std::u32string(codes_of(range)), {spans.begin() + first, spans.begin() + last}};
}

std::u32string_view Characters::codes_of(Range range) const {
  return std::u32string_view(codes).substr(range.begin, range.end - range.begin);
}

Span Characters::span_of(Range range) const {
  return {spans[range.begin].begin, spans[range.end - 1].end};
}

Characters decode_utf8(std::string_view text, const char* where) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<int64_t>(text.size());
  Characters characters;
  characters.codes.reserve(text.size());
  characters.spans.reserve(text.size());
  for (int64_t at = 0; at < size;) {
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(bytes + at, size - at, &code);
    if (length <= 0) {
      fail_argument(std::string("[") + where + "] text: expected UTF-8, found an invalid sequence at byte " +
                    std::to_string(at));
    }
    characters.push(static_cast<char32_t>(code), {at, at + length});
    at += length;
  }
  return characters;
}

void append_utf8(char32_t code, std::string& out) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(length));
}

// Table 3-7 of the Unicode standard: only the second byte has bounds of its own.
Utf8Sequence utf8_sequence(std::string_view bytes) {
  using Kind = Utf8Sequence::Kind;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {Kind::kWhole, 1};
  if (first < 0xC2 || first > 0xF4) return {Kind::kBroken, 1};
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  for (size_t i = 1; i < length; ++i) {
    if (i == bytes.size()) return {Kind::kCut, i};
    if (i == 1 ? byte(i) < low || byte(i) > high : !continues_sequence(bytes[i])) return {Kind::kBroken, i};
  }
  return {Kind::kWhole, length};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Sequence sequence = utf8_sequence(text);
    if (sequence.kind != Utf8Sequence::Kind::kWhole) return false;
    text.remove_prefix(sequence.length);
  }
  return true;
}

}  // namespace detail

int64_t code_points(std::string_view text, int64_t offset) {
  const auto size = static_cast<int64_t>(text.size());
  if (offset < 0 || offset > size) {
    detail::fail_argument("[code_points] offset: expected 0 to " + std::to_string(size) + ", found " +
                          std::to_string(offset));
  }
  if (offset < size && detail::continues_sequence(text[static_cast<size_t>(offset)])) {
    detail::fail_argument("[code_points] offset: expected the first byte of a character, found " +
                          std::to_string(offset) + " inside one");
  }
  const auto before = text.substr(0, static_cast<size_t>(offset));
  return offset - std::count_if(before.begin(), before.end(), detail::continues_sequence);
}

}  // namespace limelight
