// GELU, in its exact form and in the form with tanh.
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "limelight/nn.h"
#include "nn/rows.h"

namespace limelight {

void gelu(TensorView<const float, 2> x, Gelu form, TensorView<float, 2> y, const Run& run) {
  const int64_t rows = x.sizes[0];
  const int64_t columns = x.sizes[1];
  detail::check_rows<2>("gelu", "x", x, {-1, -1});
  detail::check_output_rows("gelu", "y", y, {rows, columns});
  const detail::Kernels& kernels = detail::active_kernels();
  const auto kernel = form == Gelu::kErf ? kernels.gelu_erf : kernels.gelu_tanh;
  detail::for_each_row(rows, columns, run, "gelu",
                       [&](int64_t t) { kernel(x.data + t * x.strides[0], columns, y.data + t * y.strides[0]); });
}

}  // namespace limelight
