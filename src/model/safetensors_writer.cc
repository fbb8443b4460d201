// Writing safetensors: the widest types first, so that every tensor is aligned for its own, behind a padded header.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "limelight/safetensors.h"
#include "model/output_file.h"
#include "model/quoted_name.h"
#include "model/safetensors_header.h"

namespace limelight {
namespace {

constexpr size_t kAlign = 8;

[[noreturn]] void refuse(const std::string& what) {
  detail::fail_argument("[SafetensorsWriter] " + what);
}

// As a JSON string.
std::string json_text(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    refuse("expected names and metadata in UTF-8");
  }
}

std::string metadata_text(const std::vector<std::pair<std::string, std::string>>& metadata) {
  std::string text;
  for (const auto& [key, value] : metadata) {
    text += (text.empty() ? "{" : ",") + json_text(key) + ":" + json_text(value);
  }
  return text + "}";
}

std::string list_text(std::span<const int64_t> numbers) {
  return detail::shape_text(numbers.data(), static_cast<int64_t>(numbers.size()));
}

int64_t byte_count(const std::string& name, Dtype dtype, const std::vector<int64_t>& shape) {
  int64_t bytes = dtype_bytes(dtype);
  for (int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes)) {
      refuse("tensor " + detail::in_quotes(name) + " shape: expected sizes from 0 with a product below 2^63, found " +
             list_text(shape));
    }
  }
  return bytes;
}

}  // namespace

void SafetensorsWriter::add(std::string name, Dtype dtype, std::vector<int64_t> shape, const void* data) {
  byte_count(name, dtype, shape);
  const auto same = [&](const Entry& entry) { return entry.name == name; };
  if (name == "__metadata__" || std::any_of(entries_.begin(), entries_.end(), same)) {
    refuse("tensor " + detail::in_quotes(name) + ": expected a name that is not in use");
  }
  entries_.push_back({std::move(name), dtype, std::move(shape), data});
}

void SafetensorsWriter::add_metadata(std::string key, std::string value) {
  for (auto& [present, old] : metadata_) {
    if (present == key) {
      old = std::move(value);
      return;
    }
  }
  metadata_.emplace_back(std::move(key), std::move(value));
}

void SafetensorsWriter::write(const std::filesystem::path& path) const {
  std::vector<const Entry*> order;
  for (const Entry& entry : entries_) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(),
                   [](const Entry* a, const Entry* b) { return dtype_bytes(a->dtype) > dtype_bytes(b->dtype); });

  std::string fields = metadata_.empty() ? "" : "\"__metadata__\":" + metadata_text(metadata_);
  int64_t begin = 0;
  std::vector<std::span<const std::byte>> parts(2);
  for (const Entry* entry : order) {
    const int64_t size = byte_count(entry->name, entry->dtype, entry->shape);
    const int64_t range[] = {begin, begin + size};
    fields += (fields.empty() ? "" : ",") + json_text(entry->name) + ":{\"dtype\":\"" +
              std::string(dtype_name(entry->dtype)) + "\",\"shape\":" + list_text(entry->shape) +
              ",\"data_offsets\":" + list_text(range) + "}";
    parts.emplace_back(static_cast<const std::byte*>(entry->data), static_cast<size_t>(size));
    begin += size;
  }
  std::string header = "{" + fields + "}";
  header.resize((header.size() + kAlign - 1) / kAlign * kAlign, ' ');
  std::array<std::byte, 8> length;
  for (size_t i = 0; i < length.size(); ++i) length[i] = static_cast<std::byte>(uint64_t{header.size()} >> (8 * i));
  parts[0] = length;
  parts[1] = std::as_bytes(std::span(header));
  detail::write_file(path, parts);
}

}  // namespace limelight
