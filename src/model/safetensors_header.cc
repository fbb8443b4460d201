// A small machine over JSON events; its places are the five levels that the format has.
#include "model/safetensors_header.h"

#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/error.h"
#include "model/dtype.h"
#include "model/quoted_name.h"

namespace limelight::detail {
namespace {

using Json = nlohmann::json;

// No library writes tensors of more axes, and a list of sizes must not eat memory.
constexpr size_t kMaxListed = 64;

class HeaderEvents : public nlohmann::json_sax<Json> {
 public:
  HeaderEvents(SafetensorsHeader& header, const std::string& file) : header_(header), file_(file) {}

  bool null() override { refuse("null"); }
  bool boolean(bool value) override { refuse(value ? "true" : "false"); }
  bool number_float(double, const std::string& text) override { refuse(text); }
  bool binary(Json::binary_t&) override { refuse("binary data"); }

  bool number_integer(int64_t value) override {
    if (value < 0) refuse(std::to_string(value));
    return number_unsigned(static_cast<uint64_t>(value));
  }

  bool number_unsigned(uint64_t value) override {
    if (place_ != Place::kList) refuse(std::to_string(value));
    if (list().size() == kMaxListed) fail(field() + ": expected at most 64 numbers, found more");
    list().push_back(value);
    return true;
  }

  bool string(std::string& value) override {
    if (place_ == Place::kMetadata) {
      header_.metadata.emplace_back(key_, value);
      return true;
    }
    if (place_ != Place::kTensor || key_ != "dtype") refuse(in_quotes(value));
    const auto dtype = find_dtype(value);
    if (!dtype) fail(field() + ": expected one of " + dtype_list() + ", found " + in_quotes(value));
    header_.entries.back().dtype = *dtype;
    return true;
  }

  bool start_object(size_t) override {
    if (place_ == Place::kStart) {
      place_ = Place::kHeader;
    } else if (place_ == Place::kHeader) {
      place_ = name_ == kMetadataName ? Place::kMetadata : Place::kTensor;
      if (place_ == Place::kTensor) header_.entries.push_back({.name = name_, .shape = {}, .data_offsets = {}});
      keys_.clear();
    } else {
      refuse("an object");
    }
    return true;
  }

  bool key(std::string& value) override {
    if (place_ == Place::kHeader) {
      name_ = value;
      key_.clear();
      if (!names_.insert(value).second) fail(field() + ": is there twice");
      return true;
    }
    key_ = value;
    if (place_ == Place::kTensor && key_ != "dtype" && key_ != "shape" && key_ != "data_offsets") {
      fail(tensor() + ": expected dtype, shape and data_offsets, found " + in_quotes(key_));
    }
    if (!keys_.insert(value).second) fail(field() + ": is there twice");
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor) {
      for (const char* needed : {"dtype", "shape", "data_offsets"}) {
        if (!keys_.contains(needed)) fail(tensor() + " " + needed + ": is missing");
      }
      const size_t offsets = header_.entries.back().data_offsets.size();
      if (offsets != 2) fail(tensor() + " data_offsets: expected 2 numbers, found " + std::to_string(offsets));
    }
    place_ = Place::kHeader;  // the parser ends with the outermost object
    return true;
  }

  bool start_array(size_t) override {
    if (place_ != Place::kTensor || key_ == "dtype") refuse("a list");
    place_ = Place::kList;
    return true;
  }

  bool end_array() override {
    place_ = Place::kTensor;
    return true;
  }

  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    fail("header: expected JSON in UTF-8, found a fault at byte " + std::to_string(position) + " of it");
  }

 private:
  enum class Place { kStart, kHeader, kTensor, kList, kMetadata };
  static constexpr std::string_view kMetadataName = "__metadata__";

  std::vector<uint64_t>& list() {
    auto& entry = header_.entries.back();
    return key_ == "shape" ? entry.shape : entry.data_offsets;
  }

  std::string tensor() const { return "tensor " + in_quotes(name_); }

  std::string field() const {
    if (place_ == Place::kStart) return "header";
    if (name_ == kMetadataName) return "__metadata__" + (key_.empty() ? "" : " " + in_quotes(key_));
    return tensor() + (key_.empty() ? "" : " " + key_);
  }

  std::string expected() const {
    if (place_ == Place::kStart || place_ == Place::kHeader) return "an object";
    if (place_ == Place::kList) return "whole numbers from 0";
    return place_ == Place::kMetadata || key_ == "dtype" ? "a string" : "a list of numbers";
  }

  [[noreturn]] void refuse(const std::string& found) const {
    fail(field() + ": expected " + expected() + ", found " + found);
  }
  [[noreturn]] void fail(const std::string& what) const { fail_format(file_ + ": " + what); }

  SafetensorsHeader& header_;
  const std::string& file_;
  Place place_ = Place::kStart;
  std::string name_, key_;  // of the tensor, and in it
  std::unordered_set<std::string> names_, keys_;
};

}  // namespace

SafetensorsHeader read_safetensors_header(std::string_view text, const std::string& file) {
  // The parser would take a byte order mark before the object and a NUL after it for nothing.
  if (!text.starts_with('{')) fail_format(file + ": header: expected '{' at its start");
  if (text.find('\0') != text.npos) fail_format(file + ": header: expected JSON in UTF-8, found a NUL byte");
  text = text.substr(0, text.find_last_not_of(' ') + 1);  // padding, which may be long
  SafetensorsHeader header;
  HeaderEvents events(header, file);
  Json::sax_parse(text.begin(), text.end(), &events);
  return header;
}

}  // namespace limelight::detail
