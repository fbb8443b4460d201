// explain(): what a call will do, from the same plan the call would make.
#include <algorithm>
#include <string>

#include "attention/forward_task.h"
#include "attention/key_tile.h"
#include "attention/plan.h"
#include "attention/problem.h"
#include "kernels/kernels.h"
#include "limelight/attention.h"

namespace limelight {
namespace {

using detail::Interval;
using detail::kKeyTile;
using detail::Problem;
using detail::Task;

// What a ForwardTask takes, for the output alone.
int64_t bytes_of_task(const Problem& p, const detail::Kernels& kernels, const Task& task, int64_t capacity) {
  using Use = detail::TileLoader::Use;
  constexpr int64_t kFloat = sizeof(float);
  const int64_t rows = (task.end - task.begin) * p.heads_per_group();
  const Interval held = p.sequence(task.sequence).held;
  const bool few = detail::ForwardTask::few(rows, held.end - held.begin);
  const int64_t values = detail::round_up(p.value_size, kernels.lanes);
  const int64_t row = detail::round_up(p.head_size, kernels.lanes) + values;
  const int64_t state = 2 * kFloat + static_cast<int64_t>(sizeof(detail::Row) + sizeof(Interval));
  int64_t group = (p.bias ? kFloat : 0) + (p.mask ? 1 : 0) + (p.dropout.probability > 0 ? kFloat : 0);
  group *= kernels.row_group * kKeyTile;
  // Few rows keep their products, and the partial of a tile beside the sums so far.
  if (few) group += kFloat * (detail::round_up(rows, kernels.row_group) * detail::kScoreStride + rows * (values + 2));
  return capacity * (kFloat * row + state) + group +
         detail::TileLoader::scratch_bytes(p, p.k, kernels, few ? Use::kInPlace : Use::kPanels) +
         detail::TileLoader::scratch_bytes(p, *p.v, kernels, Use::kRows);
}

// Partials that are kept where keys are cut into pieces.
int64_t bytes_of_partials(const Problem& p, const detail::Plan& plan) {
  if (plan.pieces == 1) return 0;
  const Interval tiles = detail::tiles_of(p, plan);
  return p.rows() * (tiles.end - tiles.begin) * (p.value_size + 2) * static_cast<int64_t>(sizeof(float));
}

}  // namespace

Explanation explain(FloatView q, FloatView k, FloatView v, const AttentionOptions& options) {
  const Problem p = detail::check_problem("explain", q, k, v, options);
  const detail::Kernels& kernels = detail::active_kernels();
  const detail::Plan plan = detail::make_plan(p, kernels);
  Explanation e;
  e.isa = kernels.isa;
  e.key_splits = plan.pieces;
  e.tasks = static_cast<int64_t>(plan.tasks.size()) * plan.pieces;
  e.threads = static_cast<int>(std::clamp<int64_t>(e.tasks, 1, plan.threads));
  e.key_tile = kKeyTile;
  e.query_block = plan.block_rows;
  e.live_pairs = live_pairs(p);
  for (const Task& task : plan.tasks) {
    const detail::Sequence sequence = p.sequence(task.sequence);
    const Interval reached = detail::tiles_of(p, task);
    const int64_t all = detail::ceil_div(sequence.held.end, kKeyTile) - sequence.held.begin / kKeyTile;
    e.tiles += all;
    e.tiles_skipped += all - (reached.end - reached.begin);
    e.scratch_bytes = std::max(e.scratch_bytes, bytes_of_task(p, kernels, task, plan.block_rows));
  }
  e.scratch_bytes = e.threads * e.scratch_bytes + bytes_of_partials(p, plan);
  return e;
}

std::string Explanation::text() const {
  const auto line = [](const char* name, const std::string& value) { return std::string(name) + value + "\n"; };
  return line("instruction set   ", isa) + line("threads           ", std::to_string(threads)) +
         line("tasks             ", std::to_string(tasks) + " of at most " + std::to_string(query_block) +
                                        " query rows" +
                                        (key_splits > 1 ? ", keys in " + std::to_string(key_splits) + " pieces" : "")) +
         line("key tiles         ", std::to_string(tiles) + " of " + std::to_string(key_tile) + " keys, " +
                                        std::to_string(tiles_skipped) + " skipped") +
         line("live pairs        ", std::to_string(live_pairs)) +
         line("scratch           ", std::to_string(scratch_bytes) + " bytes");
}

}  // namespace limelight
