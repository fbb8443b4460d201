// Tensors on their way to a file, and the list of them that is printed once they are there.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "limelight/safetensors.h"

namespace limelight::cli {

class WrittenTensors {
 public:
  // The tensor must live until write().
  template <class T, int Rank>
  void add(const std::string& name, const Tensor<T, Rank>& tensor) {
    writer_.add(name, tensor);
    entries_.push_back({name, type_name(T{}), {tensor.sizes().begin(), tensor.sizes().end()}});
  }

  void write(const std::filesystem::path& path) const { writer_.write(path); }
  std::string as_table() const;
  std::string as_json() const;  // [{name, type, shape}]

 private:
  struct Entry {
    std::string name;
    std::string type;
    std::vector<int64_t> shape;
  };
  static std::string type_name(float) { return "f32"; }
  static std::string type_name(int64_t) { return "i64"; }
  static std::string type_name(uint8_t) { return "u8"; }

  SafetensorsWriter writer_;
  std::vector<Entry> entries_;
};

}  // namespace limelight::cli
