// Query blocks sized for the level 2 cache, more of them where threads would otherwise wait.
#include "attention/plan.h"

#include <unistd.h>

#include <algorithm>

#include "core/parallel.h"

namespace limelight::detail {
namespace {

// Rows whose queries and outputs share the level 2 cache with a tile of keys and values. At least 192 rows pay for
// packing the tile; beyond 1536 nothing is gained (79 % of peak at 8 heads of T 1024, D 64, against 78 % with 768).
int64_t rows_that_fit(const Problem& p, const Kernels& kernels) {
  constexpr int64_t kFewest = 192;
  constexpr int64_t kMost = 1536;
  const int64_t row_bytes = (p.head_size + p.value_size) * static_cast<int64_t>(sizeof(float));
  const int64_t rows = (level2_bytes() * 3 / 4 - kKeyTile * row_bytes) / row_bytes;
  return std::clamp(rows, kFewest, kMost) / kernels.row_group * kernels.row_group;
}

// A second thread costs some microseconds: below 2^19 multiply-adds, about 5 us, the calling thread is done sooner.
int threads_for(const Problem& p) {
  constexpr double kSmall = 1 << 19;
  const double pairs =
      static_cast<double>(p.batch * p.heads) * static_cast<double>(p.queries) * static_cast<double>(p.keys);
  return pairs * static_cast<double>(p.head_size + p.value_size) < kSmall ? 1 : thread_count(p.run);
}

// Blocks that the rows of one key/value head are cut into: as few as fit the cache, more where threads would wait. Four
// tasks a thread even out causal blocks of unequal work.
int64_t blocks_of(const Problem& p, const Kernels& kernels, int threads) {
  constexpr int64_t kTasksAThread = 4;
  constexpr int64_t kFewest = 48;
  const int64_t rows = p.queries * p.heads_per_group();
  const int64_t fit = rows_that_fit(p, kernels);
  const int64_t blocks = (rows + fit - 1) / fit;
  if (threads == 1) return blocks;
  const int64_t sequences = std::max<int64_t>(1, p.batch * p.groups);
  const int64_t wanted = (threads * kTasksAThread + sequences - 1) / sequences;
  return std::max(blocks, std::min(wanted, rows / kFewest));
}

// Queries a block: nearly equal blocks, in whole row groups where each query is one row.
int64_t queries_a_block(const Problem& p, const Kernels& kernels, int threads) {
  const int64_t blocks = std::max<int64_t>(1, blocks_of(p, kernels, threads));
  const int64_t queries = std::max<int64_t>(1, (p.queries + blocks - 1) / blocks);
  const int64_t step = p.heads_per_group() == 1 ? kernels.row_group : 1;
  return (queries + step - 1) / step * step;
}

}  // namespace

int64_t level2_bytes() {
  static const int64_t bytes = [] {
    const long found = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return found > 0 ? static_cast<int64_t>(found) : int64_t{512} << 10;
  }();
  return bytes;
}

Plan make_plan(const Problem& p, const Kernels& kernels) {
  Plan plan;
  plan.threads = threads_for(p);
  const int64_t heads = std::max<int64_t>(1, p.heads_per_group());
  const int64_t block = queries_a_block(p, kernels, plan.threads);
  plan.block_rows = std::min(block, p.queries) * heads;
  if (p.heads == 0) return plan;
  for (int64_t b = 0; b < p.batch; ++b) {
    const LiveRule rule = p.live(b);
    for (int64_t begin = 0; begin < p.queries; begin += block) {
      Task task{b, 0, begin, std::min(p.queries, begin + block), 0};
      for (int64_t i = task.begin; i < task.end; ++i) {
        const Interval live = rule(i);
        task.live_pairs += (live.end - live.begin) * heads;
      }
      for (task.g = 0; task.g < p.groups; ++task.g) plan.tasks.push_back(task);
    }
  }
  std::stable_sort(plan.tasks.begin(), plan.tasks.end(),
                   [](const Task& x, const Task& y) { return x.live_pairs > y.live_pairs; });
  return plan;
}

}  // namespace limelight::detail
