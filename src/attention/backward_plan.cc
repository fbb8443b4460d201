// Blocks and chunks sized for the caches; gradients do not depend on them, bit for bit.
#include "attention/backward_plan.h"

#include <algorithm>

namespace limelight::detail {
namespace {

// Keys whose tiles and gradients (as panels, as rows, summed: 5 rows of D or E each) stay in the level 2 cache; fewer
// where that leaves too few blocks to share out among threads that wait for each other's turns.
int64_t keys_a_block(const Problem& p, int64_t most_keys, int threads, bool across_heads) {
  constexpr int64_t kFewest = 128, kBlocksAThread = 8;
  int64_t keys = p.head_size + p.value_size <= 128 ? kKeyTile : kKeyTile / 2;
  if (threads == 1) return keys;
  const int64_t tasks_a_block = across_heads ? 1 : p.sequences() * p.groups;
  while (keys > kFewest && tasks_a_block * ceil_div(most_keys, keys) < kBlocksAThread * threads) keys /= 2;
  return keys;
}

}  // namespace

BackwardPlan make_backward_plan(const Problem& p, const Kernels& kernels, int threads, bool across_heads) {
  BackwardPlan plan;
  plan.chunk_rows = 96 / kernels.row_group * kernels.row_group;
  if (p.rows() == 0) return plan;
  int64_t most_keys = 0;
  for (int64_t s = 0; s < p.sequences(); ++s) {
    const Sequence sequence = p.sequence(s);
    plan.first_chunk.push_back(plan.chunks);
    plan.chunks += plan.chunks_of(sequence.queries);
    most_keys = std::max(most_keys, sequence.held.end);
  }
  plan.block_keys = keys_a_block(p, most_keys, threads, across_heads);
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
  // As many key/value heads at a time as there are threads, so that their blocks need not wait for each other, and a
  // head's queries are still in the cache when its next block comes. A block waits for those before it in its sequence:
  // they are handed out earlier, either way.
  const int64_t pairs = p.sequences() * p.groups, blocks = ceil_div(most_keys, plan.block_keys);
  const int64_t together = across_heads ? pairs : threads;
  std::vector<KeyBlock> task;
  for (int64_t pair = 0; pair < pairs; pair += together) {
    for (int64_t block = 0; block < blocks; ++block) {
      for (int64_t n = pair; n < std::min(pair + together, pairs); ++n) {
        add(n / p.groups, n % p.groups, block, task);
        if (!across_heads) finish(task);
      }
      finish(task);
    }
  }
  return plan;
}

}  // namespace limelight::detail
