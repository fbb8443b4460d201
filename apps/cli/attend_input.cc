// Nothing is passed over in silence: tensors that are not used, narrowed or not finite are told.
#include "attend_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/error.h"

namespace limelight::cli {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"q", "k", "v", "bias", "mask", "key_lengths"};

const TensorInfo& required(const SafetensorsFile& file, std::string_view name) {
  if (const TensorInfo* info = file.find(name)) return *info;
  std::vector<std::string> found;
  for (const TensorInfo& info : file.tensors()) found.push_back(info.name);
  detail::fail_format(fmt::format("{}: {}: not in the file; expected q, k and v, found: {}", file.path().native(), name,
                                  fmt::join(found, ", ")));
}

template <class T, int Rank>
Tensor<T, 4> padded(const Tensor<T, Rank>& tensor) {
  std::array<int64_t, 4> sizes = {1, 1, 1, 1};
  std::copy(tensor.sizes().begin(), tensor.sizes().end(), sizes.end() - Rank);
  Tensor<T, 4> result(sizes);
  if (tensor.count() > 0) std::memcpy(result.data(), tensor.data(), sizeof(T) * static_cast<size_t>(tensor.count()));
  return result;
}

template <class T>
Tensor<T, 4> read_broadcast(const SafetensorsFile& file, const TensorInfo& info) {
  switch (info.shape.size()) {
    case 1:
      return padded(read_tensor<T, 1>(file, info));
    case 2:
      return padded(read_tensor<T, 2>(file, info));
    case 3:
      return padded(read_tensor<T, 3>(file, info));
    default:
      return read_tensor<T, 4>(file, info);  // refuses any other rank by name
  }
}

void note_not_finite(AttendInput& input, std::string_view name, const Tensor<float, 4>& tensor) {
  const auto count =
      std::count_if(tensor.data(), tensor.data() + tensor.count(), [](float x) { return !std::isfinite(x); });
  if (count == 0) return;
  input.notes.push_back(fmt::format("{}: {} of {} values are NaN or infinite; they reach every row that sees them",
                                    name, count, tensor.count()));
}

void note_types(AttendInput& input, const SafetensorsFile& file) {
  std::vector<std::string> unused, narrowed;
  for (const TensorInfo& info : file.tensors()) {
    if (std::find(kNames.begin(), kNames.end(), info.name) == kNames.end()) {
      unused.push_back(info.name);
    } else if (info.dtype == Dtype::kF64) {
      narrowed.push_back(info.name);
    }
  }
  if (!narrowed.empty())
    input.notes.push_back(fmt::format("float64 narrowed to float32: {}", fmt::join(narrowed, ", ")));
  if (!unused.empty()) input.notes.push_back(fmt::format("not used: {}", fmt::join(unused, ", ")));
}

}  // namespace

void AttendInput::put_views(AttentionOptions& options) const {
  if (bias) options.bias = bias->view();
  if (mask) options.mask = mask->view();
  if (key_lengths) options.key_lengths = key_lengths->view();
}

AttendInput read_attend_input(const std::string& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  AttendInput input;
  input.q = read_tensor<float, 4>(file, required(file, "q"));
  input.k = read_tensor<float, 4>(file, required(file, "k"));
  input.v = read_tensor<float, 4>(file, required(file, "v"));
  if (const TensorInfo* bias = file.find("bias")) input.bias = read_broadcast<float>(file, *bias);
  if (const TensorInfo* mask = file.find("mask")) input.mask = read_broadcast<uint8_t>(file, *mask);
  if (const TensorInfo* lengths = file.find("key_lengths")) input.key_lengths = read_tensor<int64_t, 1>(file, *lengths);
  note_types(input, file);
  note_not_finite(input, "q", input.q);
  note_not_finite(input, "k", input.k);
  note_not_finite(input, "v", input.v);
  return input;
}

}  // namespace limelight::cli
