// From the bytes of a file, aligned or not, to owned tensors of the types that the library computes with.
#include <concepts>
#include <cstring>

#include "core/error.h"
#include "limelight/safetensors.h"
#include "model/quoted_name.h"

namespace limelight {
namespace {

template <StoredFloat T>
T from_float(float x) {
  if constexpr (std::same_as<T, float>) return x;
  if constexpr (std::same_as<T, Float16>) return to_float16(x);
  if constexpr (std::same_as<T, BFloat16>) return to_bfloat16(x);
}

// to[i] = convert(the i-th Source of `bytes`).
template <class Source, class T, class Convert>
void convert_all(std::span<const std::byte> bytes, T* to, Convert convert) {
  const size_t count = bytes.size() / sizeof(Source);
  for (size_t i = 0; i < count; ++i) {
    Source value;
    std::memcpy(&value, bytes.data() + i * sizeof(Source), sizeof(Source));
    to[i] = convert(value);
  }
}

// Each of these: false when the type does not fit.
template <StoredFloat T>
bool read_into(const TensorInfo& info, T* to) {
  if (info.dtype == dtype_of<T>()) {
    detail::copy_bytes(to, info.bytes.data(), info.bytes.size());
    return true;
  }
  const auto convert = [](auto x) { return from_float<T>(to_float(x)); };
  switch (info.dtype) {
    case Dtype::kF32:
      convert_all<float>(info.bytes, to, convert);
      return true;
    case Dtype::kF16:
      convert_all<Float16>(info.bytes, to, convert);
      return true;
    case Dtype::kBf16:
      convert_all<BFloat16>(info.bytes, to, convert);
      return true;
    case Dtype::kF64:
      convert_all<double>(info.bytes, to, [](double x) { return from_float<T>(static_cast<float>(x)); });
      return true;
    default:
      return false;
  }
}

bool read_into(const TensorInfo& info, int64_t* to) {
  bool fits = true;
  const auto narrow = [&fits](uint64_t x) {
    fits = fits && x <= uint64_t{INT64_MAX};
    return static_cast<int64_t>(x);
  };
  const auto widen = [](auto x) { return static_cast<int64_t>(x); };
  switch (info.dtype) {
    case Dtype::kU8:
      convert_all<uint8_t>(info.bytes, to, widen);
      return true;
    case Dtype::kI8:
      convert_all<int8_t>(info.bytes, to, widen);
      return true;
    case Dtype::kI16:
      convert_all<int16_t>(info.bytes, to, widen);
      return true;
    case Dtype::kU16:
      convert_all<uint16_t>(info.bytes, to, widen);
      return true;
    case Dtype::kI32:
      convert_all<int32_t>(info.bytes, to, widen);
      return true;
    case Dtype::kU32:
      convert_all<uint32_t>(info.bytes, to, widen);
      return true;
    case Dtype::kI64:
      convert_all<int64_t>(info.bytes, to, widen);
      return true;
    case Dtype::kU64:
      convert_all<uint64_t>(info.bytes, to, narrow);
      return fits;
    default:
      return false;
  }
}

bool read_into(const TensorInfo& info, uint8_t* to) {
  if (info.dtype != Dtype::kBool && info.dtype != Dtype::kU8) return false;
  detail::copy_bytes(to, info.bytes.data(), info.bytes.size());
  return true;
}

template <class T>
const char* expected_types() {
  if constexpr (StoredFloat<T>) return "F16, BF16, F32 or F64";
  if constexpr (std::same_as<T, int64_t>) return "integers below 2^63";
  return "BOOL or U8";
}

}  // namespace

template <class T, int Rank>
Tensor<T, Rank> read_tensor(const SafetensorsFile& file, const TensorInfo& info) {
  const std::string field = file.path().string() + ": tensor " + detail::in_quotes(info.name);
  if (info.shape.size() != Rank) {
    detail::fail_format(field + " shape: expected " + std::to_string(Rank) + " axes, found " + info.shape_text());
  }
  std::array<int64_t, Rank> sizes{};
  std::copy(info.shape.begin(), info.shape.end(), sizes.begin());
  Tensor<T, Rank> tensor(sizes);
  if (!read_into(info, tensor.data())) {
    detail::fail_format(field + " dtype: expected " + expected_types<T>() + ", found " +
                        std::string(dtype_name(info.dtype)));
  }
  return tensor;
}

template Tensor<float, 1> read_tensor<float, 1>(const SafetensorsFile&, const TensorInfo&);
template Tensor<float, 2> read_tensor<float, 2>(const SafetensorsFile&, const TensorInfo&);
template Tensor<float, 3> read_tensor<float, 3>(const SafetensorsFile&, const TensorInfo&);
template Tensor<float, 4> read_tensor<float, 4>(const SafetensorsFile&, const TensorInfo&);
template Tensor<Float16, 1> read_tensor<Float16, 1>(const SafetensorsFile&, const TensorInfo&);
template Tensor<Float16, 2> read_tensor<Float16, 2>(const SafetensorsFile&, const TensorInfo&);
template Tensor<Float16, 3> read_tensor<Float16, 3>(const SafetensorsFile&, const TensorInfo&);
template Tensor<Float16, 4> read_tensor<Float16, 4>(const SafetensorsFile&, const TensorInfo&);
template Tensor<BFloat16, 1> read_tensor<BFloat16, 1>(const SafetensorsFile&, const TensorInfo&);
template Tensor<BFloat16, 2> read_tensor<BFloat16, 2>(const SafetensorsFile&, const TensorInfo&);
template Tensor<BFloat16, 3> read_tensor<BFloat16, 3>(const SafetensorsFile&, const TensorInfo&);
template Tensor<BFloat16, 4> read_tensor<BFloat16, 4>(const SafetensorsFile&, const TensorInfo&);
template Tensor<int64_t, 1> read_tensor<int64_t, 1>(const SafetensorsFile&, const TensorInfo&);
template Tensor<int64_t, 2> read_tensor<int64_t, 2>(const SafetensorsFile&, const TensorInfo&);
template Tensor<int64_t, 3> read_tensor<int64_t, 3>(const SafetensorsFile&, const TensorInfo&);
template Tensor<int64_t, 4> read_tensor<int64_t, 4>(const SafetensorsFile&, const TensorInfo&);
template Tensor<uint8_t, 1> read_tensor<uint8_t, 1>(const SafetensorsFile&, const TensorInfo&);
template Tensor<uint8_t, 2> read_tensor<uint8_t, 2>(const SafetensorsFile&, const TensorInfo&);
template Tensor<uint8_t, 3> read_tensor<uint8_t, 3>(const SafetensorsFile&, const TensorInfo&);
template Tensor<uint8_t, 4> read_tensor<uint8_t, 4>(const SafetensorsFile&, const TensorInfo&);

}  // namespace limelight
