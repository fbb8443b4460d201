// Nothing is passed over in silence: tensors that are not used, narrowed or not finite are told.
#include "attend_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "core/error.h"

namespace limelight::cli {
namespace {

constexpr std::array<std::string_view, 11> kNames = {
    "q", "k", "v", "bias", "mask", "alibi_slopes", "sinks", "key_lengths", "cu_q", "cu_k", "block_table"};
constexpr std::array<std::string_view, 2> kGradientNames = {"dout", "dlse"};

template <size_t Count>
bool among(const std::array<std::string_view, Count>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const TensorInfo& required(const SafetensorsFile& file, std::string_view name, std::string_view why) {
  if (const TensorInfo* info = file.find(name)) return *info;
  std::vector<std::string> found;
  for (const TensorInfo& info : file.tensors()) found.push_back(info.name);
  detail::fail_format(
      fmt::format("{}: {}: not in the file; {}, found: {}", file.path().native(), name, why, fmt::join(found, ", ")));
}

template <class T, int Rank>
std::optional<Tensor<T, Rank>> read_if_there(const SafetensorsFile& file, std::string_view name) {
  const TensorInfo* info = file.find(name);
  if (info == nullptr) return std::nullopt;
  return read_tensor<T, Rank>(file, *info);
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

Storage storage_in(const TensorInfo& info) {
  if (info.dtype == Dtype::kF16) return Storage::kF16;
  return info.dtype == Dtype::kBf16 ? Storage::kBf16 : Storage::kF32;
}

// A slope a head, the same for every sequence, stands as [1, H].
std::optional<Tensor<float, 2>> slopes(const float* list, int64_t heads) {
  Tensor<float, 2> result({1, heads});
  std::copy_n(list, heads, result.data());
  return result;
}

std::optional<Tensor<float, 2>> read_slopes(const SafetensorsFile& file, bool usual, int64_t heads) {
  const TensorInfo* info = file.find("alibi_slopes");
  if (usual && info != nullptr) {
    detail::fail_argument(fmt::format("{}: alibi_slopes: expected none with --alibi, found {}", file.path().native(),
                                      info->shape_text()));
  }
  if (usual) return slopes(alibi_slopes(heads).data(), heads);
  if (info == nullptr || info->shape.size() != 1) return read_if_there<float, 2>(file, "alibi_slopes");
  const auto list = read_tensor<float, 1>(file, *info);
  return slopes(list.data(), list.count());
}

// Whether values may change: neither 16-bit type holds all of the other.
bool narrows(const TensorInfo& info, Storage to) {
  return info.dtype == Dtype::kF64 || (to != Storage::kF32 && storage_in(info) != to);
}

void note_types(AttendInput& input, const SafetensorsFile& file, bool gradients) {
  std::vector<std::string> unused;
  std::map<Storage, std::vector<std::string>> narrowed;
  for (const TensorInfo& info : file.tensors()) {
    const bool used = among(kNames, info.name) || (gradients && among(kGradientNames, info.name));
    const bool stored = info.name == "q" || info.name == "k" || info.name == "v";
    const Storage to = stored ? input.storage : Storage::kF32;
    if (!used) unused.push_back(info.name);
    if (used && narrows(info, to)) narrowed[to].push_back(info.name);
  }
  for (const auto& [to, names] : narrowed)
    input.notes.push_back(fmt::format("narrowed to {}: {}", storage_name(to), fmt::join(names, ", ")));
  if (!unused.empty()) input.notes.push_back(fmt::format("not used: {}", fmt::join(unused, ", ")));
}

// Minus infinity is no accident in what is added to scores: there it masks.
template <class T, int Rank>
void note_values(AttendInput& input, std::string_view name, const Tensor<T, Rank>& tensor, bool masks) {
  const auto odd = [masks](T stored) {
    const float x = to_float(stored);
    return !std::isfinite(x) && !(masks && x < 0);
  };
  const auto count = std::count_if(tensor.data(), tensor.data() + tensor.count(), odd);
  if (count == 0) return;
  input.notes.push_back(fmt::format("{}: {} of {} values are NaN or {}; they reach every row that sees them", name,
                                    count, tensor.count(), masks ? "plus infinity" : "infinite"));
}

void note_values(AttendInput& input) {
  const auto stored = [&](std::string_view name, const StoredTensor& tensor) {
    std::visit([&](const auto& t) { note_values(input, name, t, false); }, tensor);
  };
  const auto given = [&](std::string_view name, const auto& tensor, bool masks) {
    if (tensor) note_values(input, name, *tensor, masks);
  };
  stored("q", input.q);
  stored("k", input.k);
  stored("v", input.v);
  given("bias", input.bias, true);
  given("sinks", input.sinks, true);
  given("alibi_slopes", input.alibi_slopes, false);
  given("dout", input.dout, false);
  given("dlse", input.dlse, false);
}

void read_gradients(AttendInput& input, const SafetensorsFile& file) {
  input.dout = read_tensor<float, 4>(file, required(file, "dout", "--backward needs it"));
  input.dlse = read_if_there<float, 3>(file, "dlse");
}

}  // namespace

int64_t AttendInput::keys() const {
  const int64_t rows = view_of(k).sizes[2];
  return block_table ? block_table->sizes()[1] * rows : rows;
}

void AttendInput::put_views(AttentionOptions& options) const {
  if (bias) options.bias = bias->view();
  if (mask) options.mask = mask->view();
  if (alibi_slopes) options.alibi_slopes = alibi_slopes->view();
  if (sinks) options.sinks = sinks->view();
  if (key_lengths) options.key_lengths = key_lengths->view();
  if (cu_q) options.cu_q = cu_q->view();
  if (cu_k) options.cu_k = cu_k->view();
  if (block_table) options.block_table = block_table->view();
}

AttendInput read_attend_input(const std::string& path, const AttendReading& reading) {
  constexpr std::string_view kWhy = "expected q, k and v";
  const SafetensorsFile file = SafetensorsFile::open(path);
  AttendInput input;
  const TensorInfo& q = required(file, "q", kWhy);
  input.storage = reading.dtype.value_or(storage_in(q));
  input.q = read_stored(file, q, input.storage);
  input.k = read_stored(file, required(file, "k", kWhy), input.storage);
  input.v = read_stored(file, required(file, "v", kWhy), input.storage);
  if (const TensorInfo* bias = file.find("bias")) {
    input.bias = read_broadcast<float>(file, *bias);
    input.bias_shape = bias->shape;
  }
  if (const TensorInfo* mask = file.find("mask")) input.mask = read_broadcast<uint8_t>(file, *mask);
  input.alibi_slopes = read_slopes(file, reading.alibi, view_of(input.q).sizes[1]);
  input.sinks = read_if_there<float, 1>(file, "sinks");
  input.key_lengths = read_if_there<int64_t, 1>(file, "key_lengths");
  input.cu_q = read_if_there<int64_t, 1>(file, "cu_q");
  input.cu_k = read_if_there<int64_t, 1>(file, "cu_k");
  input.block_table = read_if_there<int64_t, 2>(file, "block_table");
  if (reading.gradients) read_gradients(input, file);
  note_types(input, file, reading.gradients);
  note_values(input);
  return input;
}

}  // namespace limelight::cli
