// Linear: weights packed into panels once, and the product cut into tasks over panels and rows.
#include <algorithm>

#include "core/parallel.h"
#include "core/rounding.h"
#include "kernels/kernels.h"
#include "limelight/nn.h"
#include "nn/rows.h"

namespace limelight {
namespace {

// A task is a block of rows times whole panels of columns.
struct Cut {
  int64_t rows, columns;
};

// Rows where there are enough of them: each task then goes through the whole matrix, the next panel on its way while
// one is multiplied (MiniLM on two threads, against panels first: T 128 12.5 -> 10.5 ms, T 512 53 -> 49). Else panels,
// as many beside each other as can be.
Cut cut(int64_t rows, int64_t out, const detail::Kernels& kernels, int threads) {
  if (threads == 1) return {rows, out};
  constexpr int64_t kFewestRows = 60;
  const int64_t wanted = detail::tasks_for(threads);
  const int64_t row_tasks = std::min(wanted, rows / kFewestRows) / threads * threads;  // as many for each thread
  if (row_tasks > 0) return {detail::round_up(detail::ceil_div(rows, row_tasks), kernels.row_group), out};
  const int64_t panels = detail::ceil_div(out, kernels.panel);
  const int64_t panels_a_task = std::max<int64_t>(1, panels / wanted);
  const int64_t column_blocks = detail::ceil_div(panels, panels_a_task);
  const int64_t row_blocks = detail::ceil_div(wanted, column_blocks);
  const int64_t groups = detail::ceil_div(rows, kernels.row_group);
  return {detail::ceil_div(groups, row_blocks) * kernels.row_group, panels_a_task * kernels.panel};
}

}  // namespace

Linear::Linear(TensorView<const float, 2> weight, std::optional<TensorView<const float, 1>> bias) {
  detail::check_shape<2>("linear", "weight", weight, {-1, -1});
  if (bias) detail::check_shape<1>("linear", "bias", *bias, {weight.sizes[0]});
  out_ = weight.sizes[0];
  in_ = weight.sizes[1];
  kernels_ = &detail::active_kernels();
  panels_ = Tensor<float, 2>({detail::round_up(out_, kernels_->panel), in_});
  kernels_->pack_panels(weight.data, weight.strides[0], weight.strides[1], out_, in_, panels_.data());
  if (!bias) return;
  bias_ = Tensor<float, 1>({out_});
  for (int64_t n = 0; n < out_; ++n) bias_(n) = (*bias)(n);
}

void Linear::forward(TensorView<const float, 2> x, TensorView<float, 2> y, const Run& run) const {
  const int64_t rows = x.sizes[0];
  detail::check_rows<2>("linear", "x", x, {-1, in_});
  detail::check_output_rows("linear", "y", y, {rows, out_});
  if (rows == 0 || out_ == 0) return;
  const double work = static_cast<double>(rows) * static_cast<double>(std::max<int64_t>(1, in_) * out_);
  const Cut task = cut(rows, out_, *kernels_, detail::threads_worth(run, work));
  const int64_t row_blocks = detail::ceil_div(rows, task.rows);
  const int64_t column_blocks = detail::ceil_div(out_, task.columns);
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
