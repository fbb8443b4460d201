// GGUF files put together by hand, right and wrong ones.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "model/gguf_reader.h"

namespace limelight::testing {

// The low `bytes` bytes of a number.
inline std::string little(uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i));
  return text;
}
inline std::string u32(uint64_t number) {
  return little(number, 4);
}
inline std::string u64(uint64_t number) {
  return little(number, 8);
}
inline std::string text_bytes(const std::string& text) {
  return u64(text.size()) + text;
}
inline std::string type_bytes(GgufType type) {
  return u32(static_cast<uint64_t>(type));
}

// A metadata entry: key, type, the value's bytes.
inline std::string entry(const std::string& key, GgufType type, const std::string& value) {
  return text_bytes(key) + type_bytes(type) + value;
}
inline std::string text_entry(const std::string& key, const std::string& text) {
  return entry(key, GgufType::kString, text_bytes(text));
}
inline std::string u32_entry(const std::string& key, uint64_t number) {
  return entry(key, GgufType::kU32, u32(number));
}
inline std::string array_bytes(GgufType element, uint64_t count, const std::string& elements) {
  return type_bytes(element) + u64(count) + elements;
}

// A tensor as listed; sizes in the file's order, the contiguous axis first.
inline std::string tensor_entry(const std::string& name, const std::vector<uint64_t>& sizes, uint64_t type,
                                uint64_t offset) {
  std::string bytes = text_bytes(name) + u32(sizes.size());
  for (const uint64_t size : sizes) bytes += u64(size);
  return bytes + u32(type) + u64(offset);
}

inline std::string header(uint64_t tensors, uint64_t metadata, uint64_t version = 3) {
  return "GGUF" + u32(version) + u64(tensors) + u64(metadata);
}

inline std::string padded(std::string bytes, size_t alignment = 32) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
  return bytes;
}

struct GgufText {
  std::vector<std::string> metadata = {}, tensors = {};
  std::string data = {};
  size_t alignment = 32;
  uint64_t version = 3;

  std::string bytes() const {
    std::string all = header(tensors.size(), metadata.size(), version);
    for (const auto& part : metadata) all += part;
    for (const auto& part : tensors) all += part;
    return tensors.empty() ? all : padded(all, alignment) + data;
  }
};

// Ids of tensor types.
inline constexpr uint64_t kF32Id = 0, kQ4_1Id = 3, kQ8_0Id = 8;

inline detail::GgufContents parse_gguf_bytes(const std::string& bytes) {
  return detail::parse_gguf(std::as_bytes(std::span(bytes)), "f");
}

}  // namespace limelight::testing
