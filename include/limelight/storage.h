// Numbers as they are stored: f32, f16 (IEEE binary16) or bf16. Arithmetic is f32 whatever the storage.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "limelight/tensor.h"

namespace limelight {

struct Float16 {
  uint16_t bits = 0;
};
struct BFloat16 {
  uint16_t bits = 0;
};

inline float to_float(float x) {
  return x;
}
float to_float(Float16 x);
float to_float(BFloat16 x);

// The nearest, ties to even; beyond the largest finite number infinity; a NaN stays one.
Float16 to_float16(float x);
BFloat16 to_bfloat16(float x);

enum class Storage { kF32, kF16, kBf16 };
std::string_view storage_name(Storage storage);  // "f32", "f16", "bf16"
constexpr int64_t storage_bytes(Storage storage) {
  return storage == Storage::kF32 ? 4 : 2;
}

template <class T>
concept StoredFloat = std::same_as<T, float> || std::same_as<T, Float16> || std::same_as<T, BFloat16>;

template <StoredFloat T>
constexpr Storage storage_of() {
  if constexpr (std::same_as<T, float>) return Storage::kF32;
  if constexpr (std::same_as<T, Float16>) return Storage::kF16;
  return Storage::kBf16;
}

// A view of rank 4 whose element type is known only at run time; made from a TensorView or a Tensor. Strides are in
// elements. Void is const void to read, void to write.
template <class Void>
struct AnyFloatView {
  Void* data = nullptr;
  Storage storage = Storage::kF32;
  std::array<int64_t, 4> sizes{};
  std::array<int64_t, 4> strides{};

  AnyFloatView() = default;
  AnyFloatView(Void* from, Storage stored, const std::array<int64_t, 4>& size, const std::array<int64_t, 4>& stride)
      : data(from), storage(stored), sizes(size), strides(stride) {}
  template <class T>
  requires StoredFloat<std::remove_const_t<T>> &&
      (std::is_const_v<Void> || !std::is_const_v<T>)AnyFloatView(const TensorView<T, 4>& view)
      : AnyFloatView(view.data, storage_of<std::remove_const_t<T>>(), view.sizes, view.strides) {}
  template <StoredFloat T>
  AnyFloatView(Tensor<T, 4>& tensor) : AnyFloatView(tensor.view()) {}
  template <StoredFloat T>
  requires std::is_const_v<Void> AnyFloatView(const Tensor<T, 4>& tensor) : AnyFloatView(tensor.view()) {}
  template <class Other>
  requires std::is_const_v<Void> &&(!std::is_const_v<Other>)AnyFloatView(const AnyFloatView<Other>& view)
      : AnyFloatView(view.data, view.storage, view.sizes, view.strides) {}

  int64_t count() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }

  Void* at(int64_t a, int64_t b, int64_t c, int64_t d) const {
    using Byte = std::conditional_t<std::is_const_v<Void>, const std::byte, std::byte>;
    const int64_t offset = a * strides[0] + b * strides[1] + c * strides[2] + d * strides[3];
    return static_cast<Byte*>(data) + offset * storage_bytes(storage);
  }
};

using FloatView = AnyFloatView<const void>;
using FloatOutput = AnyFloatView<void>;

// One element, converted.
float load_float(const void* from, Storage storage);
void store_float(float x, void* to, Storage storage);

}  // namespace limelight
