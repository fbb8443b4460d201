// A copy of tests/golden/tiny/bert in a temporary folder, with its config or tensors changed.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "limelight/model.h"
#include "limelight/safetensors.h"
#include "tests/model/temporary_folder.h"

namespace limelight::testing {

class TinyBert {
 public:
  // A tensor of the file, for a test to rename or change; an empty name leaves it out.
  struct Entry {
    std::string name;
    std::vector<int64_t> shape;
    std::vector<float> values;
  };

  TinyBert();
  void edit_config(const std::function<void(nlohmann::json&)>& edit) const;
  void edit_tensors(const std::function<void(Entry&)>& edit) const;
  void add_tensor(const std::string& name, std::vector<int64_t> shape);  // of ones; at the next edit_tensors

  const std::filesystem::path& path() const { return folder_.path(); }
  std::string config() const { return (path() / "config.json").string(); }
  std::string weights() const { return (path() / "model.safetensors").string(); }
  Encoder load() const { return Encoder::load(path()); }

 private:
  TemporaryFolder folder_;
  std::vector<Entry> entries_;
};

// The ids of its two golden sentences, 11 each.
std::vector<int32_t> tiny_ids(int64_t sentence);

}  // namespace limelight::testing
