// A copy of one of the decoders in tests/golden/tiny in a temporary folder, with its config or tensors changed.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "limelight/decoder.h"
#include "tests/model/temporary_folder.h"

namespace limelight::testing {

class TinyDecoder {
 public:
  // A tensor of the file, for a test to rename or change; an empty name leaves it out.
  struct Entry {
    std::string name;
    std::vector<int64_t> shape;
    std::vector<float> values;
  };

  explicit TinyDecoder(const std::string& name);  // "gpt2", "llama" or "llama_scaled"
  void edit_config(const std::function<void(nlohmann::json&)>& edit) const;
  // Changes add up.
  void edit_tensors(const std::function<void(Entry&)>& edit);
  void add_tensor(const std::string& name, std::vector<int64_t> shape, float value = 1);
  void write(const std::filesystem::path& file, const std::function<bool(const Entry&)>& chosen) const;

  const std::vector<Entry>& entries() const { return entries_; }
  const std::filesystem::path& path() const { return folder_.path(); }
  std::string config() const { return (path() / "config.json").string(); }
  std::string weights() const { return (path() / "model.safetensors").string(); }
  Decoder load() const { return Decoder::load(path()); }

 private:
  TemporaryFolder folder_;
  std::vector<Entry> entries_;
};

// The ids of a model's two golden sentences, 11 each.
std::vector<int32_t> tiny_decoder_ids(const std::string& name, int64_t sentence);

// One call over an empty cache.
Tensor<float, 2> logits_of(const Decoder& decoder, const std::vector<int32_t>& ids, const DecoderOptions& options = {});

}  // namespace limelight::testing
