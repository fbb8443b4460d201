// Blocks and chunks sized for the caches; gradients do not depend on them, bit for bit.
#include "attention/backward_plan.h"

#include <algorithm>

namespace limelight::detail {
namespace {

// Keys whose tiles and gradients (as panels, as rows, summed: 5 rows of D or E each) stay in the level 2 cache.
int64_t keys_a_block(const Problem& p) {
  return p.head_size + p.value_size <= 128 ? kKeyTile : kKeyTile / 2;
}

}  // namespace

BackwardPlan make_backward_plan(const Problem& p, const Kernels& kernels, bool across_heads) {
  BackwardPlan plan;
  plan.block_keys = keys_a_block(p);
  plan.chunk_rows = 96 / kernels.row_group * kernels.row_group;
  int64_t most_keys = 0;
  for (int64_t s = 0; s < p.sequences(); ++s) {
    const Sequence sequence = p.sequence(s);
    plan.first_chunk.push_back(plan.chunks);
    plan.chunks += plan.chunks_of(sequence.queries);
    most_keys = std::max(most_keys, sequence.held.end);
  }
  const auto add = [&](int64_t s, int64_t g, int64_t block, std::vector<KeyBlock>& task) {
    const Interval held = p.sequence(s).held;
    const int64_t first = std::max(block * plan.block_keys, held.begin);
    const int64_t end = std::min((block + 1) * plan.block_keys, held.end);
    if (first < end) task.push_back({s, g, first, end - first});
  };
  const auto finish = [&](std::vector<KeyBlock>& task) {
    if (!task.empty()) plan.tasks.push_back(std::move(task));
    task.clear();
  };
  std::vector<KeyBlock> task;
  const int64_t blocks = ceil_div(most_keys, plan.block_keys);
  // A block waits for those before it in its sequence: they are handed out earlier, either way.
  for (int64_t outer = 0; outer < (across_heads ? blocks : p.sequences() * p.groups); ++outer) {
    for (int64_t inner = 0; inner < (across_heads ? p.sequences() * p.groups : blocks); ++inner) {
      const int64_t pair = across_heads ? inner : outer;
      add(pair / p.groups, pair % p.groups, across_heads ? outer : inner, task);
      if (!across_heads) finish(task);
    }
    finish(task);
  }
  return plan;
}

}  // namespace limelight::detail
