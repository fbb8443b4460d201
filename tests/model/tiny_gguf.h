// One of the tiny decoders as a GGUF file, laid out as converters lay it out: llama's queries and keys by pairs,
// GPT-2's matrices as [out, in].
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "limelight/decoder.h"
#include "tests/model/gguf_bytes.h"
#include "tests/model/tiny_decoder.h"

namespace limelight::testing {

class TinyGguf {
 public:
  struct Tensor {
    std::vector<int64_t> shape;  // last axis contiguous
    uint64_t type = kF32Id;
    std::string bytes;
  };

  // Metadata under `architecture`, "llama" or "qwen2" (or "gpt2" of GPT-2).
  TinyGguf(const TinyDecoder& model, const std::string& architecture);

  void set(const std::string& key, uint64_t number) { metadata[key] = u32_entry(key, number); }
  void set(const std::string& key, float number);
  void set(const std::string& key, const std::string& text) { metadata[key] = text_entry(key, text); }
  void set(const std::string& key, const char* text) { set(key, std::string(text)); }

  std::filesystem::path path() const { return folder_ / "tiny.gguf"; }
  void write() const;
  Decoder load() const;  // writes it first

  std::map<std::string, std::string> metadata;  // whole entries by their key
  std::map<std::string, Tensor> tensors;

 private:
  void describe(const Decoder& decoder, const std::string& architecture);
  void add(const TinyDecoder::Entry& entry, const std::string& architecture, int64_t head_size);
  TemporaryFolder folder_;
};

}  // namespace limelight::testing
