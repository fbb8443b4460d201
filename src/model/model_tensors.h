// The weight tensors of a model by name, whether they lie in safetensors files or in a GGUF file.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "limelight/gguf.h"
#include "limelight/quantised.h"
#include "limelight/safetensors.h"

namespace limelight::detail {

struct ModelTensor {
  std::string field;       // "FILE: tensor 'NAME'", for messages
  std::string_view dtype;  // as the file calls it
  std::optional<WeightType> type;
  std::vector<int64_t> shape;        // last axis contiguous
  std::span<const std::byte> bytes;  // in the mapping
  bool used = false;
};

// Throws FormatError: value number `at` of a tensor is `found`.
[[noreturn]] void fail_not_finite(const std::string& field, float found, int64_t at);

class ModelTensors {
 public:
  // Opens model.safetensors or, where there is none, the files that model.safetensors.index.json lists.
  explicit ModelTensors(const std::filesystem::path& folder);
  // Looks into the file, which must outlive it.
  explicit ModelTensors(const GgufFile& file);

  bool has(const std::string& name) const { return tensors_.contains(name); }
  const std::string& field(const std::string& name) const { return tensors_.at(name).field; }  // of one that is there

  // The tensor of that name, marked as used. Throws FormatError where it is missing, of another shape than `source`
  // says, or no matrix of floats or of blocks that are read.
  const ModelTensor& take(const std::string& name, const std::vector<int64_t>& shape, const std::string& source);

  // The same as floats, all finite; the file's pages leave memory. Instantiated for ranks 1 and 2.
  template <int Rank>
  Tensor<float, Rank> take_floats(const std::string& name, const std::array<int64_t, Rank>& sizes,
                                  const std::string& source);

  // Lets the pages of what take() gave leave memory: it has been copied.
  void release(const std::string& name) const;

  std::vector<std::string> unused() const;  // in file order

 private:
  void add(const SafetensorsFile& file, const TensorInfo& info);
  void open_listed(const std::filesystem::path& index);

  std::vector<SafetensorsFile> files_;
  std::string where_;               // is named where a tensor is missing
  std::vector<std::string> names_;  // in file order
  std::unordered_map<std::string, ModelTensor> tensors_;
};

}  // namespace limelight::detail
