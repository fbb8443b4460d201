// A tensor in any storage and layout, and back to floats.
#pragma once

#include <cstdint>
#include <vector>

#include "limelight/storage.h"
#include "tests/attention/layout.h"

namespace limelight::testing {

// Owns the memory; the gaps hold NaN.
class Stored {
 public:
  Stored(const std::array<int64_t, 4>& sizes, Storage storage, const Layout& layout) {
    const Strides at(layout, sizes);
    memory_.resize(static_cast<size_t>(at.span * storage_bytes(storage)), std::byte{0xff});
    view_ = {memory_.data(), storage, sizes, {1, 1, 1, 1}};
    view_.data = view_.at(at.first, 0, 0, 0);
    view_.strides = at.strides;
  }
  // Converts, to the nearest.
  Stored(const Tensor<float, 4>& from, Storage storage, const Layout& layout) : Stored(from.sizes(), storage, layout) {
    for_each_index(from.sizes(), [&](auto... at) { store_float(from(at...), view_.at(at...), storage); });
  }
  Stored(Stored&&) = default;
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;

  FloatView view() const { return view_; }
  const FloatOutput& output() const { return view_; }
  const std::vector<std::byte>& memory() const { return memory_; }

  Tensor<float, 4> values() const {
    Tensor<float, 4> values(view_.sizes);
    for_each_index(view_.sizes, [&](auto... at) { values(at...) = load_float(view_.at(at...), view_.storage); });
    return values;
  }

 private:
  std::vector<std::byte> memory_;
  FloatOutput view_;
};

// The nearest number of the storage, as a float.
inline float narrowed(float x, Storage storage) {
  float bits = 0;
  store_float(x, &bits, storage);
  return load_float(&bits, storage);
}

}  // namespace limelight::testing
