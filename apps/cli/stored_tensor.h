// A tensor of four axes whose storage is known only when the program runs.
#pragma once

#include <array>
#include <variant>

#include "limelight/safetensors.h"
#include "limelight/storage.h"

namespace limelight::cli {

using StoredTensor = std::variant<Tensor<float, 4>, Tensor<Float16, 4>, Tensor<BFloat16, 4>>;

StoredTensor make_stored(Storage storage, const std::array<int64_t, 4>& sizes);

// As read_tensor().
StoredTensor read_stored(const SafetensorsFile& file, const TensorInfo& info, Storage storage);

FloatView view_of(const StoredTensor& tensor);
FloatOutput output_of(StoredTensor& tensor);

// Rounded to the nearest where the storage is narrower.
StoredTensor stored_as(Storage storage, const Tensor<float, 4>& tensor);

}  // namespace limelight::cli
