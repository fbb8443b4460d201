// Weight tensors by name.
#include "model/model_tensors.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.h"
#include "kernels/kernels.h"
#include "model/json_field.h"
#include "model/mapped_file.h"
#include "model/quoted_name.h"

namespace limelight::detail {
namespace {

namespace fs = std::filesystem;

std::string field_of(const fs::path& file, std::string_view name) {
  return file.string() + ": tensor " + in_quotes(name);
}

std::optional<WeightType> weight_type(Dtype dtype) {
  if (dtype == Dtype::kF32) return WeightType::kF32;
  if (dtype == Dtype::kF16) return WeightType::kF16;
  if (dtype == Dtype::kBf16) return WeightType::kBf16;
  return std::nullopt;
}

}  // namespace

ModelTensors::ModelTensors(const fs::path& folder) {
  const fs::path single = folder / "model.safetensors", index = folder / "model.safetensors.index.json";
  if (!is_there(single) && is_there(index)) {
    open_listed(index);
    return;
  }
  where_ = single.string();
  files_.push_back(SafetensorsFile::open(single));
  for (const TensorInfo& info : files_.front().tensors()) add(files_.front(), info);
}

ModelTensors::ModelTensors(const GgufFile& file) : where_(file.path().string()) {
  for (const GgufTensor& tensor : file.tensors()) {
    const std::string name(tensor.name);
    names_.push_back(name);
    tensors_.emplace(name, ModelTensor{field_of(file.path(), name), weight_type_name(tensor.type), tensor.type,
                                       tensor.shape, tensor.bytes});
  }
}

void ModelTensors::add(const SafetensorsFile& file, const TensorInfo& info) {
  names_.push_back(info.name);
  tensors_.emplace(info.name, ModelTensor{field_of(file.path(), info.name), dtype_name(info.dtype),
                                          weight_type(info.dtype), info.shape, info.bytes});
}

void ModelTensors::open_listed(const fs::path& index) {
  where_ = index.string();
  const JsonFile list(index);
  std::map<std::string, size_t> opened;
  list.root()["weight_map"].each_member([&](const std::string& name, const JsonField& where) {
    const std::string& file = where.as_string();
    const bool plain = fs::path(file).filename() == file && file.find('\0') == file.npos;
    if (!plain || file.empty() || file == "." || file == "..") where.refuse("a file of the same folder");
    const auto [at, is_new] = opened.emplace(file, files_.size());
    if (is_new) files_.push_back(SafetensorsFile::open(index.parent_path() / file));
    const SafetensorsFile& shard = files_[at->second];
    const TensorInfo* info = shard.find(name);
    if (info == nullptr) fail_format(field_of(shard.path(), name) + ": is missing, though " + where_ + " lists it");
    add(shard, *info);
  });
}

const ModelTensor& ModelTensors::take(const std::string& name, const std::vector<int64_t>& shape,
                                      const std::string& source) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) fail_format(field_of(where_, name) + ": is missing");
  ModelTensor& tensor = found->second;
  if (tensor.shape != shape) {
    const auto text = [](const std::vector<int64_t>& s) {
      return shape_text(s.data(), static_cast<int64_t>(s.size()));
    };
    fail_format(tensor.field + " shape: expected " + text(shape) + " by " + source + ", found " + text(tensor.shape));
  }
  if (!tensor.type) fail_format(tensor.field + " dtype: expected F16, BF16 or F32, found " + std::string(tensor.dtype));
  tensor.used = true;
  return tensor;
}

void fail_not_finite(const std::string& field, float found, int64_t at) {
  const char* text = std::isnan(found) ? "nan" : found > 0 ? "inf" : "-inf";
  fail_format(field + ": expected finite values, found " + text + " at " + std::to_string(at));
}

template <int Rank>
Tensor<float, Rank> ModelTensors::take_floats(const std::string& name, const std::array<int64_t, Rank>& sizes,
                                              const std::string& source) {
  const ModelTensor& tensor = take(name, {sizes.begin(), sizes.end()}, source);
  Tensor<float, Rank> floats(sizes);
  if (*tensor.type == WeightType::kF32) {
    copy_bytes(floats.data(), tensor.bytes.data(), tensor.bytes.size());
  } else {
    dequantise(tensor.bytes.data(), *tensor.type, floats.count(), floats.data());
  }
  if (!active_kernels().all_finite(floats.data(), floats.count())) {
    const float* bad = floats.data();
    while (std::isfinite(*bad)) ++bad;
    fail_not_finite(tensor.field, *bad, bad - floats.data());
  }
  release_pages(tensor.bytes);
  return floats;
}

template Tensor<float, 1> ModelTensors::take_floats<1>(const std::string&, const std::array<int64_t, 1>&,
                                                       const std::string&);
template Tensor<float, 2> ModelTensors::take_floats<2>(const std::string&, const std::array<int64_t, 2>&,
                                                       const std::string&);

void ModelTensors::release(const std::string& name) const {
  release_pages(tensors_.at(name).bytes);
}

std::vector<std::string> ModelTensors::unused() const {
  std::vector<std::string> names;
  std::copy_if(names_.begin(), names_.end(), std::back_inserter(names),
               [this](const std::string& name) { return !tensors_.at(name).used; });
  return names;
}

}  // namespace limelight::detail
