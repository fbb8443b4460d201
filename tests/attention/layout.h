// The same values laid out in memory in other ways: transposed, spread out, reversed, broadcast.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "limelight/tensor.h"

namespace limelight::testing {

// How the axes of a rank-4 view lie in memory.
struct Layout {
  std::string name;
  std::array<int, 4> order{0, 1, 2, 3};     // axes from slowest to fastest
  std::array<int64_t, 4> step{1, 1, 1, 1};  // each axis's stride times this: gaps, or reversed where negative
};

inline std::vector<Layout> layouts() {
  return {{.name = "contiguous"},
          {.name = "heads inside rows", .order = {0, 2, 1, 3}},
          {.name = "last two axes transposed", .order = {0, 1, 3, 2}},
          {.name = "all axes reordered", .order = {3, 1, 0, 2}},
          {.name = "every second element", .step = {1, 1, 1, 2}},
          {.name = "every second row", .step = {1, 1, 2, 1}},
          {.name = "gaps everywhere", .step = {3, 2, 3, 5}},
          {.name = "rows reversed", .step = {1, 1, -1, 1}},
          {.name = "elements reversed", .step = {1, 1, 1, -1}},
          {.name = "all reversed with gaps", .order = {2, 0, 1, 3}, .step = {-1, -2, -1, -3}}};
}

// Owns the memory of one such layout; what the gaps hold is `filler`.
template <class T>
class Laid {
 public:
  Laid(const Layout& layout, const std::array<int64_t, 4>& sizes, T filler) {
    int64_t stride = 1;
    int64_t first = 0;
    view_.sizes = sizes;
    for (int n = 4; n-- > 0;) {
      const int axis = layout.order[n];
      const int64_t step = layout.step[axis];
      view_.strides[axis] = stride * step;
      if (step < 0) first += (sizes[axis] - 1) * stride * -step;
      stride *= sizes[axis] * std::abs(step);
    }
    memory_.assign(static_cast<size_t>(stride), filler);
    view_.data = memory_.data() + first;
  }
  Laid(const Layout& layout, const Tensor<T, 4>& from, T filler) : Laid(layout, from.sizes(), filler) {
    const auto [a, b, c, d] = from.sizes();
    for (int64_t w = 0; w < a; ++w) {
      for (int64_t x = 0; x < b; ++x) {
        for (int64_t y = 0; y < c; ++y) {
          for (int64_t z = 0; z < d; ++z) view_(w, x, y, z) = from(w, x, y, z);
        }
      }
    }
  }

  const TensorView<T, 4>& view() const { return view_; }
  const std::vector<T>& memory() const { return memory_; }

 private:
  std::vector<T> memory_;
  TensorView<T, 4> view_;
};

}  // namespace limelight::testing
