// RMS norm over the rows of a matrix.
#include <cmath>
#include <string>

#include "core/checks.h"
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "limelight/nn.h"
#include "nn/rows.h"

namespace limelight {

void rms_norm(TensorView<const float, 2> x, TensorView<const float, 1> gamma, float epsilon, TensorView<float, 2> y,
              const Run& run) {
  const int64_t rows = x.sizes[0];
  const int64_t channels = x.sizes[1];
  detail::check_rows<2>("rms_norm", "x", x, {-1, -1});
  detail::check_rows<1>("rms_norm", "gamma", gamma, {channels});
  detail::check_output_rows("rms_norm", "y", y, {rows, channels});
  if (!std::isfinite(epsilon) || epsilon < 0) {
    detail::refuse("rms_norm", "epsilon", "finite and at least 0", detail::number_text(epsilon));
  }
  if (channels == 0) return;
  const detail::Kernels& kernels = detail::active_kernels();
  detail::for_each_row(rows, channels, run, "rms_norm", [&](int64_t t) {
    kernels.rms_norm(x.data + t * x.strides[0], gamma.data, epsilon, channels, y.data + t * y.strides[0]);
  });
}

}  // namespace limelight
