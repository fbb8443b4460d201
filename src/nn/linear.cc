// Linear: weights packed into panels once, and the product cut into tasks over panels and rows.
#include <algorithm>

#include "core/parallel.h"
#include "kernels/kernels.h"
#include "limelight/nn.h"
#include "nn/rows.h"

namespace limelight {
namespace {

// Multiply-adds below which the whole product stays on the calling thread: measured, a second thread gains nothing on
// less than 4.4 us of work, and AVX-512 does 2^19 in 6.
constexpr int64_t kSerial = int64_t{1} << 19;
constexpr int64_t kTasksAThread = 4;

// A task is a block of rows times whole panels of columns.
struct Cut {
  int64_t rows, columns;
};

// Panels first, as many beside each other as can be: a task reads its weights once, and ahead of their use.
Cut cut(int64_t rows, int64_t in, int64_t out, const detail::Kernels& kernels, int threads) {
  if (threads == 1 || rows * std::max<int64_t>(1, in) * out < kSerial) return {rows, out};
  const int64_t wanted = kTasksAThread * threads;
  const int64_t panels = (out + kernels.panel - 1) / kernels.panel;
  const int64_t panels_a_task = std::max<int64_t>(1, panels / wanted);
  const int64_t column_blocks = (panels + panels_a_task - 1) / panels_a_task;
  const int64_t row_blocks = (wanted + column_blocks - 1) / column_blocks;
  const int64_t groups = (rows + kernels.row_group - 1) / kernels.row_group;
  return {(groups + row_blocks - 1) / row_blocks * kernels.row_group, panels_a_task * kernels.panel};
}

}  // namespace

Linear::Linear(TensorView<const float, 2> weight, std::optional<TensorView<const float, 1>> bias) {
  detail::check_shape<2>("linear", "weight", weight, {-1, -1});
  if (bias) detail::check_shape<1>("linear", "bias", *bias, {weight.sizes[0]});
  out_ = weight.sizes[0];
  in_ = weight.sizes[1];
  kernels_ = &detail::active_kernels();
  panels_ = Tensor<float, 2>({(out_ + kernels_->panel - 1) / kernels_->panel * kernels_->panel, in_});
  kernels_->pack_panels(weight.data, weight.strides[0], weight.strides[1], out_, in_, panels_.data(), {});
  if (!bias) return;
  bias_ = Tensor<float, 1>({out_});
  for (int64_t n = 0; n < out_; ++n) bias_(n) = (*bias)(n);
}

void Linear::forward(TensorView<const float, 2> x, TensorView<float, 2> y, const Run& run) const {
  const int64_t rows = x.sizes[0];
  detail::check_rows<2>("linear", "x", x, {-1, in_});
  detail::check_output_rows("linear", "y", y, {rows, out_});
  if (rows == 0 || out_ == 0) return;
  const Cut task = cut(rows, in_, out_, *kernels_, detail::thread_count(run));
  const int64_t row_blocks = (rows + task.rows - 1) / task.rows;
  const int64_t column_blocks = (out_ + task.columns - 1) / task.columns;
  // Rows go by while a panel stays in cache, and every weight comes from memory once.
  detail::parallel_for(row_blocks * column_blocks, run, "linear", [&](int64_t index) {
    const int64_t row = index % row_blocks * task.rows;
    const int64_t column = index / row_blocks * task.columns;
    kernels_->product(x.data + row * x.strides[0], x.strides[0], std::min(task.rows, rows - row),
                      panels_.data() + column * in_, in_, std::min(task.columns, out_ - column),
                      bias_.count() > 0 ? bias_.data() + column : nullptr, y.data + row * y.strides[0] + column,
                      y.strides[0]);
  });
}

}  // namespace limelight
