// Metadata values as C++ types.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/error.h"
#include "limelight/gguf.h"
#include "model/gguf_reader.h"
#include "model/quoted_name.h"

namespace limelight {
namespace {

bool is_float(GgufType type) {
  return type == GgufType::kF32 || type == GgufType::kF64;
}

bool is_integer(GgufType type) {
  return !is_float(type) && type != GgufType::kBool && type != GgufType::kString && type != GgufType::kArray;
}

// Whether a value of an integer type, by its bits, lies within the bounds.
bool within(uint64_t bits, GgufType type, int64_t low, int64_t high) {
  if (type == GgufType::kU64 && bits > static_cast<uint64_t>(INT64_MAX)) return false;
  const auto number = static_cast<int64_t>(bits);
  return low <= number && number <= high;
}

std::string bounds(int64_t low, int64_t high) {
  return "from " + std::to_string(low) + " to " + std::to_string(high);
}

double number_of(uint64_t bits, GgufType type) {
  if (type == GgufType::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (type == GgufType::kF64) return std::bit_cast<double>(bits);
  if (type == GgufType::kU64) return static_cast<double>(bits);
  return static_cast<double>(static_cast<int64_t>(bits));
}

std::string_view text_of(const GgufValue& value) {
  return {reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()};
}

uint64_t bits_of(const GgufValue& value) {
  return detail::gguf_bits(value.bytes.data(), value.type);
}

// A value in a message, short.
std::string shown(const GgufValue& value) {
  if (value.type == GgufType::kString) return detail::in_quotes(text_of(value));
  const std::string name(detail::gguf_type_name(value.type));
  if (value.type == GgufType::kArray) {
    return name + " of " + std::to_string(value.count) + " " + std::string(detail::gguf_type_name(value.element));
  }
  if (value.type == GgufType::kBool) return bits_of(value) != 0 ? "true" : "false";
  if (is_float(value.type)) return std::to_string(number_of(bits_of(value), value.type));
  if (value.type == GgufType::kU64) return std::to_string(bits_of(value));
  return std::to_string(static_cast<int64_t>(bits_of(value)));
}

}  // namespace

bool GgufField::as_bool() const {
  if (value_.type != GgufType::kBool) refuse("true or false");
  return bits_of(value_) != 0;
}

int64_t GgufField::as_integer(int64_t low, int64_t high) const {
  if (!is_integer(value_.type) || !within(bits_of(value_), value_.type, low, high)) {
    refuse("an integer " + bounds(low, high));
  }
  return static_cast<int64_t>(bits_of(value_));
}

double GgufField::as_number() const {
  if (!is_float(value_.type) && !is_integer(value_.type)) refuse("a number");
  return number_of(bits_of(value_), value_.type);
}

std::string_view GgufField::as_text() const {
  if (value_.type != GgufType::kString) refuse("a string");
  return text_of(value_);
}

std::vector<int64_t> GgufField::as_integers(int64_t low, int64_t high) const {
  const std::string expected = "an array of integers ";
  if (value_.type != GgufType::kArray || !is_integer(value_.element)) refuse(expected + bounds(low, high));
  std::vector<int64_t> integers;
  integers.reserve(value_.count);
  for (const GgufValue& element : detail::gguf_elements(value_)) {
    const uint64_t bits = bits_of(element);
    if (!within(bits, element.type, low, high))
      refuse(expected + bounds(low, high) + " (element " + std::to_string(integers.size()) + " is " + shown(element) +
             ")");
    integers.push_back(static_cast<int64_t>(bits));
  }
  return integers;
}

std::vector<double> GgufField::as_numbers() const {
  if (value_.type != GgufType::kArray || (!is_float(value_.element) && !is_integer(value_.element))) {
    refuse("an array of numbers");
  }
  std::vector<double> numbers;
  numbers.reserve(value_.count);
  for (const GgufValue& element : detail::gguf_elements(value_)) {
    numbers.push_back(number_of(bits_of(element), element.type));
  }
  return numbers;
}

std::vector<std::string_view> GgufField::as_texts() const {
  if (value_.type != GgufType::kArray || value_.element != GgufType::kString) refuse("an array of strings");
  std::vector<std::string_view> texts;
  texts.reserve(value_.count);
  for (const GgufValue& element : detail::gguf_elements(value_)) texts.push_back(text_of(element));
  return texts;
}

void GgufField::refuse(const std::string& expected) const {
  detail::fail_format(file_->path().string() + ": metadata " + detail::in_quotes(key_) + ": expected " + expected +
                      ", found " + shown(value_));
}

}  // namespace limelight
