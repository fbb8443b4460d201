// Values of a GGUF file one after the other, each within what is left of it.
#include "model/gguf_cursor.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "model/gguf_reader.h"
#include "model/quoted_name.h"

namespace limelight::detail {
namespace {

struct TypeRow {
  std::string_view name;
  size_t bytes;
};

constexpr std::array<TypeRow, 13> kTypes = {{{"UINT8", 1},
                                             {"INT8", 1},
                                             {"UINT16", 2},
                                             {"INT16", 2},
                                             {"UINT32", 4},
                                             {"INT32", 4},
                                             {"FLOAT32", 4},
                                             {"BOOL", 1},
                                             {"STRING", 0},
                                             {"ARRAY", 0},
                                             {"UINT64", 8},
                                             {"INT64", 8},
                                             {"FLOAT64", 8}}};

constexpr uint64_t kMaxName = 65535;

// The fewest bytes an element takes: a string its length, an array its type and count.
uint64_t least_bytes(GgufType type) {
  if (type == GgufType::kString) return 8;
  return type == GgufType::kArray ? 12 : gguf_type_bytes(type);
}

uint64_t little_endian(const std::byte* from, size_t bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < bytes; ++i) number |= std::to_integer<uint64_t>(from[i]) << (8 * i);
  return number;
}

}  // namespace

std::string_view gguf_type_name(GgufType type) {
  return kTypes[static_cast<size_t>(type)].name;
}

size_t gguf_type_bytes(GgufType type) {
  return kTypes[static_cast<size_t>(type)].bytes;
}

uint64_t gguf_bits(const std::byte* from, GgufType type) {
  const size_t bytes = gguf_type_bytes(type);
  const uint64_t number = little_endian(from, bytes);
  const bool is_signed = type == GgufType::kI8 || type == GgufType::kI16 || type == GgufType::kI32;
  const uint64_t sign = uint64_t{1} << (8 * bytes - 1);
  return is_signed ? (number ^ sign) - sign : number;
}

std::vector<GgufValue> gguf_elements(const GgufValue& array) {
  static const std::string kChecked = "(checked)";
  GgufCursor cursor(array.bytes, kChecked);
  std::vector<GgufValue> elements;
  elements.reserve(array.count);
  for (uint64_t i = 0; i < array.count; ++i) elements.push_back(cursor.value(array.element));
  return elements;
}

std::span<const std::byte> GgufCursor::take(uint64_t count) {
  if (count > left()) {
    refuse(std::to_string(count) + " more bytes",
           std::to_string(left()) + ": " + std::to_string(count - left()) + " bytes are missing");
  }
  position_ += count;
  return bytes_.subspan(position_ - count, count);
}

uint64_t GgufCursor::number(size_t bytes) {
  return little_endian(take(bytes).data(), bytes);
}

std::string_view GgufCursor::characters(uint64_t count) {
  const auto bytes = take(count);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view GgufCursor::text() {
  return characters(number(8));
}

std::string_view GgufCursor::name() {
  const uint64_t length = number(8);
  if (length < 1 || length > kMaxName) {
    refuse("a name of 1 to " + std::to_string(kMaxName) + " bytes", std::to_string(length));
  }
  return characters(length);
}

GgufType GgufCursor::type() {
  const uint64_t id = number(4);
  if (id >= kTypes.size()) refuse("a type from 0 to 12", std::to_string(id));
  return static_cast<GgufType>(id);
}

GgufValue GgufCursor::value() {
  return value(type());
}

GgufValue GgufCursor::value(GgufType type, int nesting) {
  if (type == GgufType::kArray) return array(nesting + 1);
  if (type == GgufType::kString) {
    const uint64_t length = number(8);
    return {type, type, 1, take(length)};
  }
  const auto bytes = take(gguf_type_bytes(type));
  if (type == GgufType::kBool && std::to_integer<int>(bytes[0]) > 1) {
    refuse("0 or 1 for a BOOL", std::to_string(std::to_integer<int>(bytes[0])));
  }
  return {type, type, 1, bytes};
}

GgufValue GgufCursor::array(int nesting) {
  if (nesting > kMaxNesting) refuse("at most " + std::to_string(kMaxNesting) + " levels of arrays", "more");
  const GgufType element = type();
  const uint64_t count = number(8);
  const uint64_t most = left() / least_bytes(element);
  if (count > most) {
    refuse("at most the " + std::to_string(most) + " elements that fit the file", std::to_string(count));
  }
  const uint64_t begin = position_;
  const bool fixed = gguf_type_bytes(element) > 0 && element != GgufType::kBool;
  if (fixed) {
    take(count * gguf_type_bytes(element));
  } else {
    for (uint64_t i = 0; i < count; ++i) value(element, nesting);
  }
  return {GgufType::kArray, element, count, bytes_.subspan(begin, position_ - begin)};
}

void GgufCursor::refuse(const std::string& expected, const std::string& found) const {
  std::string what = what_;
  if (kind_ == Kind::kNamed) what += " " + in_quotes(name_);
  if (kind_ == Kind::kNumbered) what += " " + std::to_string(index_);
  fail_format(*file_ + ": " + what + ": expected " + expected + ", found " + found);
}

}  // namespace limelight::detail
