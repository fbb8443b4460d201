// Rotary positions: frequencies, the table of a stretch of positions, and the turning of rows by it.
#include <cmath>
#include <string>

#include "core/checks.h"
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "limelight/nn.h"
#include "nn/rows.h"

namespace limelight {

std::vector<double> rope_frequencies(int64_t depth, double base) {
  if (depth < 0 || depth % 2 != 0) detail::refuse("rope", "depth", "an even number", std::to_string(depth));
  if (!std::isfinite(base) || base <= 0) {
    detail::refuse("rope", "base", "finite and above 0", detail::number_text(base));
  }
  std::vector<double> frequencies;
  for (int64_t c = 0; c < depth; c += 2) {
    frequencies.push_back(std::pow(base, -static_cast<double>(c) / static_cast<double>(depth)));
  }
  return frequencies;
}

RopeTable rope_table(std::span<const double> frequencies, int64_t first, int64_t tokens) {
  const auto half = static_cast<int64_t>(frequencies.size());
  RopeTable table{Tensor<float, 2>({tokens, half}), Tensor<float, 2>({tokens, half})};
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t c = 0; c < half; ++c) {
      const double angle = static_cast<double>(first + t) * frequencies[static_cast<size_t>(c)];
      table.cosines(t, c) = static_cast<float>(std::cos(angle));
      table.sines(t, c) = static_cast<float>(std::sin(angle));
    }
  }
  return table;
}

void rope(TensorView<const float, 2> x, const RopeTable& table, TensorView<float, 2> y, const Run& run) {
  const auto [rows, columns] = x.sizes;
  const int64_t half = table.cosines.sizes()[1];
  const TensorView<const float, 2> cosines = table.cosines, sines = table.sines;
  detail::check_rows<2>("rope", "x", x, {-1, -1});
  detail::check_rows<2>("rope", "table.cosines", cosines, {rows, -1});
  detail::check_rows<2>("rope", "table.sines", sines, {rows, half});
  detail::check_output_rows("rope", "y", y, {rows, columns});
  if (columns == 0) return;
  if (half == 0 || columns % (2 * half) != 0) {
    detail::refuse("rope", "x", "rows of whole heads of " + std::to_string(2 * half), std::to_string(columns));
  }
  const detail::Kernels& kernels = detail::active_kernels();
  const int64_t heads = columns / (2 * half);
  detail::for_each_row(rows, columns, run, "rope", [&](int64_t t) {
    kernels.rope(x.data + t * x.strides[0], cosines.data + t * half, sines.data + t * half, heads, half,
                 y.data + t * y.strides[0]);
  });
}

}  // namespace limelight
