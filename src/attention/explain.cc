// explain(): what a call will do, from the same plan the call would make.
#include <algorithm>
#include <string>

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
  for (const Task& task : plan.tasks) {
    const detail::Sequence sequence = p.sequence(task.sequence);
    const Interval reached = detail::tiles_of(p.live(sequence), task.begin, task.end);
    const int64_t all = (sequence.held.end + kKeyTile - 1) / kKeyTile - sequence.held.begin / kKeyTile;
    e.tiles += all;
    e.tiles_skipped += all - (reached.end - reached.begin);
    e.live_pairs += task.live_pairs;
  }
  const int64_t value_width = detail::round_up(p.value_size, kernels.lanes);
  const int64_t width = detail::round_up(p.head_size, kernels.lanes) + value_width;
  const bool bias = p.bias || p.mask || p.alibi_slopes;
  e.scratch_bytes = e.threads * static_cast<int64_t>(sizeof(float)) *
                    (width * (kKeyTile + plan.block_rows) + (bias ? (kernels.row_group + 2) * kKeyTile : 0));
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
