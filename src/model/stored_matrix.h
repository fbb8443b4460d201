// A weight matrix [out, in] in the precision it is stored in, repacked for the instruction set in use.
// Takes as many bytes as in the file, `out` rounded up to a panel; floats of it exist a small tile at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "limelight/quantised.h"
#include "limelight/runtime.h"
#include "limelight/tensor.h"

namespace limelight::detail {

struct Kernels;

// Rows of a matrix as they lie in a file, aligned or not. Strides are in bytes, from row to row and from block to block
// along a row; 0, 0 is one after the other. Floats stored as [in, out] have row_stride = their size.
struct StoredRows {
  const std::byte* data = nullptr;
  int64_t rows = 0;
  int64_t row_stride = 0;
  int64_t block_stride = 0;
};

// Weight k of row n, as it was found.
using RefuseWeight = std::function<void(int64_t n, int64_t k, float found)>;

class StoredMatrix {
 public:
  StoredMatrix() = default;
  // The rows of all parts one below the other, each `in` weights long (whole blocks, else std::invalid_argument).
  // Where a weight is NaN or infinite, `refuse` is told of one of them, from any thread, and throws.
  StoredMatrix(std::span<const StoredRows> parts, int64_t in, WeightType type, const RefuseWeight& refuse,
               const Run& run = {});

  int64_t in() const { return in_; }
  int64_t out() const { return out_; }

  // Row n as floats, to[in()]; 0 <= n < out().
  void read_row(int64_t n, float* to) const;

 private:
  friend void multiply(const StoredMatrix& w, TensorView<const float, 2> x, const float* bias, TensorView<float, 2> y,
                       const Run& run);
  const std::byte* panel(int64_t first_column) const;

  int64_t in_ = 0, out_ = 0;
  WeightType type_ = WeightType::kF32;
  const Kernels* kernels_ = nullptr;
  std::unique_ptr<void, AlignedFree> memory_;
};

// y = x W^T + bias; x [T, in], y [T, out], rows contiguous along the last axis, bias [out] or nullptr.
// As nn.h's Linear on dequantise()d weights, bit for bit: one multiply-add chain an element, ascending, the bias last,
// for any number of rows and threads. Throws std::invalid_argument for views that do not fit.
void multiply(const StoredMatrix& w, TensorView<const float, 2> x, const float* bias, TensorView<float, 2> y,
              const Run& run);

}  // namespace limelight::detail
