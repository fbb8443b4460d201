// Three passes: delta of every row; key blocks, each with the queries that see it; dq from its sums.
#include "limelight/backward.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "attention/backward_check.h"
#include "attention/backward_task.h"
#include "attention/bias_gradient.h"
#include "attention/plan.h"
#include "core/checks.h"
#include "core/parallel.h"

namespace limelight {
namespace detail {
namespace {

constexpr const char* kWhere = kBackward;

void clear(const FloatOutput& view, const Run& run) {
  if (view.count() == 0) return;
  parallel_for(view.sizes[0] * view.sizes[1], run, kWhere, [&](int64_t n) {
    for (int64_t row = 0; row < view.sizes[2]; ++row) {
      const auto at = [&](int64_t column) { return view.at(n / view.sizes[1], n % view.sizes[1], row, column); };
      if (view.strides[3] == 1) {
        std::memset(at(0), 0, static_cast<size_t>(view.sizes[3] * storage_bytes(view.storage)));
      } else {
        for (int64_t column = 0; column < view.sizes[3]; ++column) store_float(0, at(column), view.storage);
      }
    }
  });
}

// Everything that no task may come to: keys without queries or beyond a length, pages out of use, columns nobody sees.
void clear(const Problem& p, const AttentionGradients& gradients, const Run& run) {
  const bool unseen = p.key_lengths || p.rows() == 0;
  if (unseen && gradients.dk) clear(*gradients.dk, run);
  if (unseen && gradients.dv) clear(*gradients.dv, run);
  if (gradients.dbias) clear(*gradients.dbias, run);
}

// Row statistics of the whole call, [B, H, M].
struct RowStatistics {
  std::vector<float> lse, delta;
};

// A row of [B, H, M].
struct PlaceOfRow {
  int64_t b, h, i;
};

PlaceOfRow place_of(const Problem& p, int64_t row) {
  return {row / p.queries / p.heads, row / p.queries % p.heads, row % p.queries};
}

// lse, infinity where a row has no keys, so that its weights come out 0; delta = dout . out - dlse.
void prepare(const Problem& p, const Kernels& kernels, const Run& run, const FloatView& out,
             const TensorView<const float, 3>& lse, const FloatView& dout,
             const std::optional<TensorView<const float, 3>>& dlse, RowStatistics& rows) {
  for_each_row(p.rows(), p.value_size, run, kWhere, [&](int64_t row) {
    const auto [b, h, i] = place_of(p, row);
    Scratch scratch;
    float* x = scratch.take<float>(p.value_size);
    float* y = scratch.take<float>(p.value_size);
    const auto load = [&](const FloatView& view, float* to) {
      load_rows(kernels, view.at(b, h, i, 0), view.storage, view.strides[2], view.strides[3], 1, p.value_size, 1.0f,
                p.value_size, to);
    };
    const auto at = static_cast<size_t>(row);
    const bool dead = lse(b, h, i) == kMinusInfinity;
    load(out, x);
    load(dout, y);
    // A row that its sink has for itself gave nothing: whatever dout holds there is not observed.
    const bool gave = lse(b, h, i) != p.sink(h) || std::any_of(x, x + p.value_size, [](float o) { return o != 0; });
    rows.lse[at] = dead ? -kMinusInfinity : lse(b, h, i);
    rows.delta[at] = dead ? 0 : (gave ? kernels.dot(x, y, p.value_size) : 0) - (dlse ? (*dlse)(b, h, i) : 0);
  });
}

void walk_key_blocks(Backward& call, const Run& run) {
  Turns turns(call.problem.heads * call.plan.chunks);
  call.turns = &turns;
  parallel_for(static_cast<int64_t>(call.plan.tasks.size()), run, kWhere, [&](int64_t index) {
    try {
      BackwardTask task(call);
      for (const KeyBlock& block : call.plan.tasks[static_cast<size_t>(index)]) {
        if (!task.run(block)) return;
      }
    } catch (...) {  // whoever waits for this task must be told
      turns.fail();
      throw;
    }
  });
}

// dq = scale (sum of dS k).
void write_dq(const Problem& p, const Kernels& kernels, const Run& run, float* sums, const FloatOutput& dq) {
  const int64_t width = round_up(p.head_size, kernels.lanes);
  for_each_row(p.rows(), p.head_size, run, kWhere, [&](int64_t row) {
    const auto [b, h, i] = place_of(p, row);
    store_row(kernels, sums + row * width, p.scale, p.head_size, dq.strides[3], dq.storage, dq.at(b, h, i, 0));
  });
}

}  // namespace
}  // namespace detail

void attention_backward(FloatView q, FloatView k, FloatView v, const AttentionOptions& options, FloatView out,
                        TensorView<const float, 3> lse, FloatView dout, const AttentionGradients& gradients,
                        std::optional<TensorView<const float, 3>> dlse) {
  using namespace detail;
  const Problem problem = check_backward(q, k, v, options, out, lse, dout, gradients, dlse);
  const Kernels& kernels = active_kernels();
  const size_t rows = static_cast<size_t>(problem.rows());
  RowStatistics statistics{std::vector<float>(rows), std::vector<float>(rows)};
  const int threads = threads_for(problem, live_pairs(problem));
  const Run quiet{threads, nullptr};
  clear(problem, gradients, quiet);
  prepare(problem, kernels, quiet, out, lse, dout, dlse, statistics);
  const BackwardPlan plan = make_backward_plan(problem, kernels, threads, sums_bias_across_heads(problem, gradients));
  Tensor<float, 2> dq;
  if (gradients.dq) {
    dq = Tensor<float, 2>({static_cast<int64_t>(rows), round_up(problem.head_size, kernels.lanes)});
  }
  Backward call{problem,   kernels, plan, gradients, dout, statistics.lse.data(), statistics.delta.data(),
                dq.data(), nullptr};
  walk_key_blocks(call, {threads, problem.run.progress});
  if (gradients.dq) write_dq(problem, kernels, quiet, dq.data(), *gradients.dq);
  sum_row_gradients(problem, statistics.lse.data(), statistics.delta.data(), dlse, gradients);
}

}  // namespace limelight
