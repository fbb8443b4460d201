// A random encoder of each architecture, written under the names that Hugging Face folders use, and its hidden states
// by plain loops in double.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "limelight/model.h"
#include "tests/model/temporary_folder.h"

namespace limelight::testing {

class TinyEncoder {
 public:
  struct Weights {
    std::vector<int64_t> shape;
    std::vector<float> values;
  };

  explicit TinyEncoder(const std::string& architecture);  // "bert", "distilbert", "roberta"

  void write() const;         // config.json and model.safetensors
  Encoder load() const;       // writes first
  std::string error() const;  // what load() throws, less the folder

  // [T, C]; `positions` are rows of the table.
  std::vector<double> hidden(const std::vector<int32_t>& ids, const std::vector<int64_t>& positions) const;

  std::filesystem::path path() const { return folder_.path(); }

  nlohmann::json config;
  std::map<std::string, Weights> tensors;

 private:
  void add(const std::string& name, std::vector<int64_t> shape);
  void add_layer(const std::vector<std::string>& names);
  TemporaryFolder folder_;
  std::string architecture_, root_;
};

}  // namespace limelight::testing
