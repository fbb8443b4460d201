// A copy of one of the checkpoints in tests/golden/tiny in a temporary folder, with its config or tensors changed.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/model/temporary_folder.h"

namespace limelight::testing {

class TinyCheckpoint {
 public:
  // A tensor of the file, for a test to rename or change; an empty name leaves it out.
  struct Entry {
    std::string name;
    std::vector<int64_t> shape;
    std::vector<float> values;
  };

  explicit TinyCheckpoint(const std::string& name);  // of the golden folder
  // Changes add up.
  void edit_config(const std::function<void(nlohmann::json&)>& edit) const;
  void edit_tensors(const std::function<void(Entry&)>& edit);
  void add_tensor(const std::string& name, std::vector<int64_t> shape, float value = 1);
  void write(const std::filesystem::path& file, const std::function<bool(const Entry&)>& chosen) const;

  const std::vector<Entry>& entries() const { return entries_; }
  const std::filesystem::path& path() const { return folder_.path(); }
  std::string config() const { return (path() / "config.json").string(); }
  std::string weights() const { return (path() / "model.safetensors").string(); }

 private:
  TemporaryFolder folder_;
  std::vector<Entry> entries_;
};

// The ids of a checkpoint's two golden sentences, 11 each.
std::vector<int32_t> tiny_ids(const std::string& name, int64_t sentence);

}  // namespace limelight::testing
