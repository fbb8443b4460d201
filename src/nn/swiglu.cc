// The gate of a decoder's network: SiLU of one matrix times another.
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "limelight/nn.h"
#include "nn/rows.h"

namespace limelight {

void swiglu(TensorView<const float, 2> gate, TensorView<const float, 2> up, TensorView<float, 2> y, const Run& run) {
  const int64_t rows = gate.sizes[0];
  const int64_t columns = gate.sizes[1];
  detail::check_rows<2>("swiglu", "gate", gate, {-1, -1});
  detail::check_rows<2>("swiglu", "up", up, {rows, columns});
  detail::check_output_rows("swiglu", "y", y, {rows, columns});
  const detail::Kernels& kernels = detail::active_kernels();
  detail::for_each_row(rows, columns, run, "swiglu", [&](int64_t t) {
    kernels.swiglu(gate.data + t * gate.strides[0], up.data + t * up.strides[0], columns, y.data + t * y.strides[0]);
  });
}

}  // namespace limelight
