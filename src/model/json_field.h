// A value of a JSON file that knows where it stands: reading it as the wrong type is one FormatError naming file and
// field. "tokenizer.json: model.max_input_chars_per_word: expected an integer from 1 to 2147483647, found "many"".
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace limelight::detail {

class JsonFile;

// Looks into a JsonFile, which must outlive it.
class JsonField {
 public:
  JsonField operator[](std::string_view key) const;                     // a member that must be there
  std::optional<JsonField> find(std::string_view key) const;            // absent or null: nullopt
  void each(const std::function<void(const JsonField&)>& visit) const;  // the elements of an array
  void each_member(const std::function<void(const std::string& key, const JsonField&)>& visit) const;

  // Fails unless the value is this one.
  void expect(std::string_view value) const;
  void expect(std::same_as<bool> auto value) const {
    if (as_bool() != value) refuse(value ? "true" : "false");
  }
  // Fails where the member is there and not this one.
  void expect(std::string_view key, const auto& value) const {
    if (const auto field = find(key)) field->expect(value);
  }
  // A member that may be absent.
  bool flag(std::string_view key, bool absent = false) const;

  bool is_array() const { return value_->is_array(); }
  bool as_bool() const;
  int64_t as_integer(int64_t low, int64_t high) const;
  double as_number() const;
  const std::string& as_string() const;

  // Throws FormatError: "FILE: FIELD: expected EXPECTED, found VALUE".
  [[noreturn]] void refuse(const std::string& expected) const;

 private:
  friend class JsonFile;
  JsonField(const JsonFile& file, const nlohmann::json& value, std::string parent, const std::string* key, size_t index)
      : file_(&file), value_(&value), parent_(std::move(parent)), key_(key), index_(index) {}
  std::string path() const;
  nlohmann::json::const_iterator member(std::string_view key) const;

  const JsonFile* file_;
  const nlohmann::json* value_;
  // The path is put together only when it is told: a vocabulary has many fields.
  std::string parent_;
  const std::string* key_;  // in the parent, or nullptr: an element, by index, or the root
  size_t index_;
};

class JsonFile {
 public:
  // Throws FileError when it cannot be read, FormatError when it is not JSON, larger than 64 MiB or
  // nested deeper than 256 levels.
  explicit JsonFile(std::filesystem::path path);
  static std::optional<JsonFile> find(const std::filesystem::path& path);  // of a file that may be missing

  const std::filesystem::path& path() const { return path_; }
  JsonField root() const { return JsonField(*this, document_, "", nullptr, 0); }

 private:
  std::filesystem::path path_;
  nlohmann::json document_;
};

}  // namespace limelight::detail
