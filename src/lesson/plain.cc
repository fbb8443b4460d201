// Scores, softmax row by row, blend. The grid is written, read and written once more, read once more.
#include "lesson/plain.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "attention/problem.h"
#include "core/checks.h"
#include "core/parallel.h"
#include "kernels/kernels.h"
#include "lesson/draw.h"
#include "limelight/nn.h"

namespace limelight::lesson {
namespace {

using Clock = std::chrono::steady_clock;

// In place, by the functions of the engine's own softmax.
void softmax_row(float* row, int64_t tokens, float scale, const detail::Interval& keys) {
  const detail::Kernels& kernels = detail::active_kernels();
  float* first = row + keys.begin;
  const int64_t count = keys.end - keys.begin;
  float unused = 0, most = detail::kMinusInfinity, sum = 0;
  kernels.scale(first, scale, count, first);
  kernels.pool(first, first, count, &unused, &most);
  kernels.weigh_scores(first, most, 1, count, first);
  kernels.pool(first, first, count, &sum, &most);
  kernels.scale(first, 1 / sum, count, first);
  std::fill(row, first, 0.0f);
  std::fill(first + count, row + tokens, 0.0f);
}

// The best time of a few runs, of more where they are short.
template <class Work>
double best_seconds(const Work& work) {
  constexpr int kLeast = 2, kMost = 20;
  constexpr double kEnough = 0.25;
  double best = 0, total = 0;
  for (int n = 0; n < kMost && (n < kLeast || total < kEnough); ++n) {
    const auto start = Clock::now();
    work();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = n == 0 ? seconds : std::min(best, seconds);
    total += seconds;
  }
  return best;
}

}  // namespace

void plain_attention(const HeadInput& head, Tensor<float, 2>& grid, Tensor<float, 2>& out, const Run& run) {
  const int64_t tokens = head.tokens();
  const TensorView<const float, 2> v = rows_of(head.v);
  detail::check_sizes("plain", "grid", std::array{tokens, tokens}, grid.sizes());
  detail::check_sizes("plain", "out", std::array{tokens, v.sizes[1]}, out.sizes());
  const detail::Problem problem = detail::check_problem("plain", head.q, head.k, FloatView(head.v), head.options);
  const detail::LiveRule live = problem.live(problem.sequence(0));
  Linear(rows_of(head.k)).forward(rows_of(head.q), grid, run);
  detail::for_each_row(tokens, tokens, run, "plain",
                       [&](int64_t i) { softmax_row(&grid(i, 0), tokens, problem.scale, live(i)); });
  Linear({v.data, {v.sizes[1], tokens}, {v.strides[1], v.strides[0]}}).forward(grid, out, run);
}

SpeedFigures measure_speed(int64_t tokens, int64_t d_k, Causal causal, const Run& run) {
  const auto q = draw<4>(1, 0, {1, 1, tokens, d_k}), k = draw<4>(1, 1, {1, 1, tokens, d_k});
  const auto v = draw<4>(1, 2, {1, 1, tokens, d_k});
  HeadInput head{.q = q, .k = k, .v = v, .options = {}};
  head.options.causal = causal;
  head.options.run = run;
  // Memory is there, and written once, before either is measured.
  Tensor<float, 2> grid({tokens, tokens}), plain({tokens, d_k});
  Tensor<float, 4> flash({1, 1, tokens, d_k});
  SpeedFigures figures;
  figures.plain_seconds = best_seconds([&] { plain_attention(head, grid, plain, run); });
  figures.flash_seconds = best_seconds([&] { attention(q, k, v, head.options, flash); });
  for (int64_t n = 0; n < plain.count(); ++n) {
    figures.difference = std::max(figures.difference, std::abs(double{plain.data()[n]} - double{flash.data()[n]}));
  }
  const auto floats = static_cast<int64_t>(sizeof(float));
  figures.plain_bytes = (tokens * tokens + 3 * tokens * d_k) * floats;  // grid, output, both packed operands
  figures.flash_bytes = flash_bytes(tokens, 1, d_k);
  return figures;
}

int64_t flash_bytes(int64_t tokens, int64_t heads, int64_t d_k) {
  // Only sizes count: all elements of the operands may be one float.
  const float element = 0;
  const TensorView<const float, 4> any{&element, {1, heads, tokens, d_k}, {0, 0, 0, 0}};
  return explain(any, any, any).scratch_bytes + heads * tokens * (d_k + 1) * static_cast<int64_t>(sizeof(float));
}

}  // namespace limelight::lesson
