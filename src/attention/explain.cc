// explain(): what a call will do, from the same plan the call would make.
#include <algorithm>
#include <string>

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

// Tiles from the first key any query of the task sees to the last.
int64_t tiles_reached(const Problem& p, const Task& task) {
  const detail::LiveRule rule = p.live(task.b);
  Interval reach{p.keys, 0};
  for (int64_t i = task.begin; i < task.end; ++i) {
    const Interval live = rule(i);
    if (live.begin == live.end) continue;
    reach.begin = std::min(reach.begin, live.begin);
    reach.end = std::max(reach.end, live.end);
  }
  return reach.begin >= reach.end ? 0 : (reach.end - 1) / kKeyTile - reach.begin / kKeyTile + 1;
}

}  // namespace

Explanation explain(TensorView<const float, 4> q, TensorView<const float, 4> k, TensorView<const float, 4> v,
                    const AttentionOptions& options) {
  const Problem p = detail::check_problem("explain", q, k, v, options);
  const detail::Kernels& kernels = detail::active_kernels();
  const detail::Plan plan = detail::make_plan(p, kernels);
  Explanation e;
  e.isa = kernels.isa;
  e.tasks = static_cast<int64_t>(plan.tasks.size());
  e.threads = static_cast<int>(std::clamp<int64_t>(e.tasks, 1, plan.threads));
  e.key_tile = kKeyTile;
  e.query_block = plan.block_rows;
  for (const Task& task : plan.tasks) {
    const int64_t all = (p.length(task.b) + kKeyTile - 1) / kKeyTile;
    e.tiles += all;
    e.tiles_skipped += all - tiles_reached(p, task);
    e.live_pairs += task.live_pairs;
  }
  const int64_t width = p.head_size + (p.value_size + kernels.lanes - 1) / kernels.lanes * kernels.lanes;
  const bool bias = p.bias || p.mask;
  e.scratch_bytes = e.threads * static_cast<int64_t>(sizeof(float)) *
                    (width * (kKeyTile + plan.block_rows) + (bias ? (kernels.row_group + 2) * kKeyTile : 0));
  return e;
}

std::string Explanation::text() const {
  const auto line = [](const char* name, const std::string& value) { return std::string(name) + value + "\n"; };
  return line("instruction set   ", isa) + line("threads           ", std::to_string(threads)) +
         line("tasks             ",
              std::to_string(tasks) + " of at most " + std::to_string(query_block) + " query rows") +
         line("key tiles         ", std::to_string(tiles) + " of " + std::to_string(key_tile) + " keys, " +
                                        std::to_string(tiles_skipped) + " skipped") +
         line("live pairs        ", std::to_string(live_pairs)) +
         line("scratch           ", std::to_string(scratch_bytes) + " bytes");
}

}  // namespace limelight
