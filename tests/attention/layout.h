// The same values laid out in memory in other ways: transposed, spread out, reversed, broadcast.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
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

// Strides of such a layout, where its first element lies, and how many elements it spans.
struct Strides {
  std::array<int64_t, 4> strides{};
  int64_t first = 0;
  int64_t span = 1;

  Strides(const Layout& layout, const std::array<int64_t, 4>& sizes) {
    for (int n = 4; n-- > 0;) {
      const int axis = layout.order[n];
      const int64_t step = layout.step[axis];
      strides[axis] = span * step;
      if (step < 0) first += std::max<int64_t>(sizes[axis] - 1, 0) * span * -step;
      span *= sizes[axis] * std::abs(step);
    }
    if (span == 0) first = 0;
  }
};

// Calls body(a, b, c, d) for every index of these sizes.
template <class Body>
void for_each_index(const std::array<int64_t, 4>& sizes, const Body& body) {
  for (int64_t a = 0; a < sizes[0]; ++a) {
    for (int64_t b = 0; b < sizes[1]; ++b) {
      for (int64_t c = 0; c < sizes[2]; ++c) {
        for (int64_t d = 0; d < sizes[3]; ++d) body(a, b, c, d);
      }
    }
  }
}

// Owns the memory of one such layout; what the gaps hold is `filler`.
template <class T>
class Laid {
 public:
  Laid(const Layout& layout, const std::array<int64_t, 4>& sizes, T filler) {
    const Strides at(layout, sizes);
    memory_.assign(static_cast<size_t>(at.span), filler);
    view_ = {memory_.data() + at.first, sizes, at.strides};
  }
  Laid(const Layout& layout, const Tensor<T, 4>& from, T filler) : Laid(layout, from.sizes(), filler) {
    for_each_index(from.sizes(), [&](auto... at) { view_(at...) = from(at...); });
  }

  const TensorView<T, 4>& view() const { return view_; }
  const std::vector<T>& memory() const { return memory_; }

 private:
  std::vector<T> memory_;
  TensorView<T, 4> view_;
};

}  // namespace limelight::testing
