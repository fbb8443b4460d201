// A place in the bytes of a GGUF file that moves on as values are read, and knows what it is reading for errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "limelight/gguf.h"

namespace limelight::detail {

class GgufCursor {
 public:
  // `file` is named in errors and must live on.
  GgufCursor(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(&file) {}

  // What is being read: "metadata 'general.name'", "tensor number 3", "header". Put into words only for an error.
  void at(const char* what) { what_ = what, name_ = {}, kind_ = Kind::kPlain; }
  void at(const char* what, std::string_view name) { what_ = what, name_ = name, kind_ = Kind::kNamed; }
  void at(const char* what, uint64_t index) { what_ = what, index_ = index, kind_ = Kind::kNumbered; }

  uint64_t position() const { return position_; }
  uint64_t left() const { return bytes_.size() - position_; }

  uint64_t number(size_t bytes);  // unsigned
  std::string_view characters(uint64_t count);
  std::string_view text();  // its length first
  std::string_view name();  // a text of 1 to 65535 bytes
  GgufValue value();        // its type first

  // A value of this type; of an array the elements are walked over. Arrays nest at most kMaxNesting deep.
  static constexpr int kMaxNesting = 8;
  GgufValue value(GgufType type, int nesting = 0);

  // Throws FormatError: "FILE: WHAT: expected EXPECTED, found FOUND".
  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const;

 private:
  enum class Kind { kPlain, kNamed, kNumbered };
  std::span<const std::byte> take(uint64_t count);
  GgufType type();
  GgufValue array(int nesting);

  std::span<const std::byte> bytes_;
  const std::string* file_;
  uint64_t position_ = 0;
  const char* what_ = "header";
  std::string_view name_;
  uint64_t index_ = 0;
  Kind kind_ = Kind::kPlain;
};

}  // namespace limelight::detail
