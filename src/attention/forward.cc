// One task: load its rows, run over the key tiles they see, write them. Few rows on many keys: tiles are shared out and
// their partials folded afterwards.
#include "attention/forward.h"

#include "attention/forward_task.h"
#include "core/parallel.h"
#include "core/rounding.h"

namespace limelight::detail {
namespace {

// The tiles of piece `n` of `pieces`.
Interval piece_of(const Interval& tiles, int64_t n, int64_t pieces) {
  const int64_t count = tiles.end - tiles.begin;
  return {tiles.begin + part_begin(count, pieces, n), tiles.begin + part_begin(count, pieces, n + 1)};
}

// Every piece of every task leaves its partials in the store.
void attend_pieces(const Problem& problem, const Kernels& kernels, const char* where, const Run& run, const Plan& plan,
                   const ForwardResults& results, const PartialStore& store) {
  const int64_t count = static_cast<int64_t>(plan.tasks.size()) * plan.pieces;
  parallel_for(count, run, where, [&](int64_t index) {
    const Task& task = plan.tasks[static_cast<size_t>(index / plan.pieces)];
    const Interval tiles = piece_of(tiles_of(problem, task), index % plan.pieces, plan.pieces);
    if (tiles.begin == tiles.end) return;
    ForwardTask(problem, kernels, results, task, plan.block_rows).attend(tiles.begin, tiles.end, store);
  });
}

// Pieces first, then each task folds its own partials.
void forward_in_pieces(const Problem& problem, const Kernels& kernels, const char* where, const Run& run,
                       const Plan& plan, const ForwardResults& results) {
  const Interval reached = tiles_of(problem, plan);
  PartialStore store{.first_tile = reached.begin, .tiles = reached.end - reached.begin};
  const int64_t rows = problem.rows();
  Tensor<float, 2> max({rows, store.tiles}), sum({rows, store.tiles}), moment;
  Tensor<float, 3> values;
  store.max = max.data();
  store.sum = sum.data();
  if (results.entropy != nullptr) {
    moment = Tensor<float, 2>({rows, store.tiles});
    store.moment = moment.data();
  }
  if (problem.v) {
    values = Tensor<float, 3>({rows, store.tiles, problem.value_size});
    store.values = values.data();
  }
  attend_pieces(problem, kernels, where, run, plan, results, store);
  const Run quiet{run.threads, nullptr};
  parallel_for(static_cast<int64_t>(plan.tasks.size()), quiet, where, [&](int64_t index) {
    const Task& task = plan.tasks[static_cast<size_t>(index)];
    const Interval tiles = tiles_of(problem, task);
    ForwardTask rows_of_task(problem, kernels, results, task, plan.block_rows);
    rows_of_task.fold(tiles.begin, tiles.end, store);
    rows_of_task.finish();
  });
}

}  // namespace

void forward(const Problem& problem, const Kernels& kernels, const char* where, const ForwardResults& results) {
  const Plan plan = make_plan(problem, kernels, results.top_weight == nullptr);
  const Run run{plan.threads, problem.run.progress};
  if (plan.pieces > 1) {
    forward_in_pieces(problem, kernels, where, run, plan, results);
    return;
  }
  parallel_for(static_cast<int64_t>(plan.tasks.size()), run, where, [&](int64_t index) {
    const Task& task = plan.tasks[static_cast<size_t>(index)];
    const Interval tiles = tiles_of(problem, task);
    ForwardTask rows(problem, kernels, results, task, plan.block_rows);
    const size_t next = static_cast<size_t>(index + plan.threads);
    rows.attend(tiles.begin, tiles.end, next < plan.tasks.size() ? &plan.tasks[next] : nullptr);
    rows.finish();
  });
}

void forward_partials(const Problem& problem, const Kernels& kernels, const char* where, const PartialStore& store) {
  if (store.tiles == 0) return;
  const Plan plan = make_plan(problem, kernels);
  attend_pieces(problem, kernels, where, {plan.threads, problem.run.progress}, plan, {}, store);
}

}  // namespace limelight::detail
