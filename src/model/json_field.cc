// A value of a JSON file that knows where it stands.
#include "model/json_field.h"

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "model/foreign_file.h"
#include "model/mapped_file.h"

namespace limelight::detail {
namespace {

using nlohmann::json;

// The parsed form of a hostile file takes some ten times its size, and one level of nesting far more than its two
// bytes.
constexpr size_t kMaxMebibytes = 64;
constexpr int kMaxNesting = 256;

// The deepest nesting of arrays and objects, outside strings.
int nesting_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      in_string = c != '"';
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    } else {
      in_string = c == '"';
    }
  }
  return deepest;
}

// One line of ASCII, short enough for a message.
std::string literal(const json& scalar) {
  constexpr size_t kMaxShown = 60;
  std::string text = scalar.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + "...";
  return text;
}

std::string shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return literal(value);
}

std::string joined(const std::string& parent, const std::string& key) {
  const bool plain =
      !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  if (!plain) return parent + "[" + literal(key) + "]";
  return parent.empty() ? key : parent + "." + key;
}

// Where and why the parser stopped: "line 1, column 5: ...", as the library tells it but for the text it read.
std::string parse_failure(const json::parse_error& error) {
  const std::string_view told = error.what();
  const size_t line = std::min(told.find("line "), told.size());
  return std::string(told.substr(line, told.find("; last read") - line));
}

json parsed(std::string_view text, const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    fail_format((file + ": is not JSON: " + why).append(foreign_hint(text, ModelFile::kJson)));
  };
  // The parser takes a zero byte for the end, whatever follows.
  if (const size_t zero = text.find('\0'); zero != text.npos) refuse("byte " + std::to_string(zero) + " is zero");
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    refuse(parse_failure(error));
  } catch (const json::out_of_range&) {
    refuse("a number is too large");
  }
  return {};
}

}  // namespace

JsonFile::JsonFile(std::filesystem::path path) : path_(std::move(path)) {
  const MappedFile file(path_);
  const size_t size = file.bytes().size();
  if (size > kMaxMebibytes << 20) {
    fail_format(path_.string() + ": expected at most " + std::to_string(kMaxMebibytes) + " MiB, found " +
                std::to_string(size) + " bytes");
  }
  if (size == 0) fail_format(path_.string() + ": expected JSON, found an empty file");
  const auto* text = reinterpret_cast<const char*>(file.bytes().data());
  if (const int levels = nesting_of({text, size}); levels > kMaxNesting) {
    fail_format(path_.string() + ": expected at most " + std::to_string(kMaxNesting) + " levels of nesting, found " +
                std::to_string(levels));
  }
  document_ = parsed({text, size}, path_.string());
}

std::optional<JsonFile> JsonFile::find(const std::filesystem::path& path) {
  return is_there(path) ? std::optional<JsonFile>(std::in_place, path) : std::nullopt;
}

std::string JsonField::path() const {
  if (key_ == nullptr) return parent_.empty() ? "" : parent_ + "[" + std::to_string(index_) + "]";
  return joined(parent_, *key_);
}

void JsonField::refuse(const std::string& expected) const {
  const std::string field = path();
  fail_format(file_->path().string() + ": " + (field.empty() ? "" : field + ": ") + "expected " + expected +
              ", found " + shown(*value_));
}

json::const_iterator JsonField::member(std::string_view key) const {
  if (!value_->is_object()) refuse("an object");
  return value_->find(std::string(key));
}

JsonField JsonField::operator[](std::string_view key) const {
  const auto found = member(key);
  if (found == value_->end()) {
    fail_format(file_->path().string() + ": " + joined(path(), std::string(key)) + ": is missing");
  }
  return JsonField(*file_, *found, path(), &found.key(), 0);
}

std::optional<JsonField> JsonField::find(std::string_view key) const {
  const auto found = member(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return JsonField(*file_, *found, path(), &found.key(), 0);
}

void JsonField::each(const std::function<void(const JsonField&)>& visit) const {
  if (!value_->is_array()) refuse("an array");
  for (size_t i = 0; i < value_->size(); ++i) visit(JsonField(*file_, (*value_)[i], path(), nullptr, i));
}

void JsonField::each_member(const std::function<void(const std::string&, const JsonField&)>& visit) const {
  if (!value_->is_object()) refuse("an object");
  const std::string here = path();
  for (auto at = value_->begin(); at != value_->end(); ++at) {
    visit(at.key(), JsonField(*file_, *at, here, &at.key(), 0));
  }
}

void JsonField::expect(std::string_view value) const {
  if (as_string() != value) refuse("\"" + std::string(value) + "\"");
}

bool JsonField::flag(std::string_view key, bool absent) const {
  const auto field = find(key);
  return field ? field->as_bool() : absent;
}

bool JsonField::as_bool() const {
  if (!value_->is_boolean()) refuse("true or false");
  return value_->get<bool>();
}

int64_t JsonField::as_integer(int64_t low, int64_t high) const {
  const auto expected = [&] { return "an integer from " + std::to_string(low) + " to " + std::to_string(high); };
  if (!value_->is_number_integer()) refuse(expected());
  const bool beyond = value_->is_number_unsigned() && value_->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX);
  const int64_t number = value_->get<int64_t>();
  if (beyond || number < low || number > high) refuse(expected());
  return number;
}

double JsonField::as_number() const {
  if (!value_->is_number()) refuse("a number");
  return value_->get<double>();
}

const std::string& JsonField::as_string() const {
  if (!value_->is_string()) refuse("a string");
  return value_->get_ref<const std::string&>();
}

}  // namespace limelight::detail
