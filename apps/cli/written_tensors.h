// Tensors on their way to a file, and the list of them that is printed once they are there.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "limelight/safetensors.h"
#include "stored_tensor.h"

namespace limelight::cli {

class WrittenTensors {
 public:
  // The tensor must live until write().
  template <class T, int Rank>
  void add(const std::string& name, const Tensor<T, Rank>& tensor) {
    add(name, dtype_of<T>(), {tensor.sizes().begin(), tensor.sizes().end()}, tensor.data());
  }
  void add(const std::string& name, const StoredTensor& tensor) {
    std::visit([&](const auto& t) { add(name, t); }, tensor);
  }
  void add(const std::string& name, Dtype dtype, std::vector<int64_t> shape, const void* data);

  void write(const std::filesystem::path& path) const { writer_.write(path); }
  std::string as_table() const;
  std::string as_json() const;  // [{name, type, shape}]

 private:
  struct Entry {
    std::string name;
    std::string type;  // "f32"
    std::vector<int64_t> shape;
  };

  SafetensorsWriter writer_;
  std::vector<Entry> entries_;
};

}  // namespace limelight::cli
