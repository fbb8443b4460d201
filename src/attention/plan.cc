// Query blocks sized for the level 2 cache, more of them where threads would otherwise wait.
#include "attention/plan.h"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include "core/parallel.h"
#include "core/rounding.h"

namespace limelight::detail {
namespace {

// Of the level 2 cache of one processor.
int64_t level2_bytes() {
  static const int64_t bytes = [] {
    const long found = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return found > 0 ? static_cast<int64_t>(found) : int64_t{512} << 10;
  }();
  return bytes;
}

// Rows whose queries and outputs share the level 2 cache with a tile of keys and values. At least 192 rows pay for
// packing the tile; beyond 1536 nothing is gained (79 % of peak at 8 heads of T 1024, D 64, against 78 % with 768).
int64_t rows_that_fit(const Problem& p, const Kernels& kernels) {
  constexpr int64_t kFewest = 192;
  constexpr int64_t kMost = 1536;
  const int64_t row_bytes = (p.head_size + p.value_size) * static_cast<int64_t>(sizeof(float));
  const int64_t rows = (level2_bytes() * 3 / 4 - kKeyTile * row_bytes) / row_bytes;
  return std::clamp(rows, kFewest, kMost) / kernels.row_group * kernels.row_group;
}

// Blocks that the rows of one key/value head are cut into: as few as fit the cache, more where threads would wait. Two
// a thread are enough where more would make them small, for each block packs its keys: one head of T 1024 on two
// threads reaches 77 % of peak in blocks of 256 rows, 74 % in blocks of 128.
int64_t blocks_of(const Problem& p, const Kernels& kernels, int64_t rows, int threads) {
  constexpr int64_t kFewest = 48;
  constexpr int64_t kGood = 256;
  const int64_t fit = rows_that_fit(p, kernels);
  const int64_t blocks = ceil_div(rows, fit);
  if (threads == 1) return blocks;
  const int64_t others = std::max<int64_t>(1, p.sequences() * p.groups);
  const int64_t wanted = std::clamp(others * rows / kGood, tasks_for(threads) / 2, tasks_for(threads));
  return std::max(blocks, std::min(ceil_div(wanted, others), rows / kFewest));
}

// Queries a block: nearly equal blocks, in whole row groups where each query is one row.
int64_t queries_a_block(const Problem& p, const Kernels& kernels, int64_t queries, int threads) {
  const int64_t heads = p.heads_per_group();
  const int64_t blocks = std::max<int64_t>(1, blocks_of(p, kernels, queries * heads, threads));
  const int64_t even = std::max<int64_t>(1, ceil_div(queries, blocks));
  return heads == 1 ? round_up(even, kernels.row_group) : even;
}

// Sum of i + shift, held to `bounds`, over queries i in [begin, end): in three pieces.
int64_t sum_of_ends(int64_t shift, const Interval& bounds, int64_t begin, int64_t end) {
  const int64_t low = std::clamp(bounds.begin - shift, begin, end);
  const int64_t high = std::clamp(bounds.end - shift, low, end);
  return (low - begin) * bounds.begin + (high - low) * (low + high - 1 + 2 * shift) / 2 + (end - high) * bounds.end;
}

// Queries and keys are below 2^31: no sum overflows.
int64_t live_pairs_of(const LiveRule& rule, int64_t begin, int64_t end) {
  if (rule.end_shift <= rule.begin_shift) return 0;
  return sum_of_ends(rule.end_shift, rule.held, begin, end) - sum_of_ends(rule.begin_shift, rule.held, begin, end);
}

// x y, or the largest number.
int64_t saturating_product(int64_t x, int64_t y) {
  int64_t product = 0;
  return __builtin_mul_overflow(x, y, &product) ? std::numeric_limits<int64_t>::max() : product;
}

int64_t saturating_sum(int64_t x, int64_t y) {
  int64_t sum = 0;
  return __builtin_add_overflow(x, y, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

// Pieces of keys, where the rows of a call are too few to keep the threads busy. The partials of a row are as many as
// its tiles: at most a third more memory traffic than the keys and values themselves.
int64_t pieces_of(const Problem& p, const Plan& plan) {
  constexpr int64_t kMostRows = 96;
  const int64_t wanted = tasks_for(plan.threads);
  const int64_t tasks = static_cast<int64_t>(plan.tasks.size());
  if (plan.threads == 1 || tasks == 0 || tasks >= wanted || plan.block_rows > kMostRows) return 1;
  int64_t most = 1;
  for (const Task& task : plan.tasks) {
    const Interval tiles = tiles_of(p, task);
    most = std::max(most, tiles.end - tiles.begin);
  }
  return std::min(most, ceil_div(wanted, tasks));
}

}  // namespace

int threads_for(const Problem& p, int64_t live_pairs) {
  return threads_worth(p.run, static_cast<double>(live_pairs) * static_cast<double>(p.head_size + p.value_size));
}

int64_t live_pairs(const Problem& p) {
  if (p.rows() == 0) return 0;
  int64_t pairs = 0;
  for (int64_t s = 0; s < p.sequences(); ++s) {
    const Sequence sequence = p.sequence(s);
    pairs = saturating_sum(pairs, saturating_product(live_pairs_of(p.live(sequence), 0, sequence.queries), p.heads));
  }
  return pairs;
}

Interval tiles_of(const Problem& p, const Task& task) {
  const Interval reach = p.live(p.sequence(task.sequence)).of(task.begin, task.end);
  if (reach.begin >= reach.end) return {};
  return {reach.begin / kKeyTile, ceil_div(reach.end, kKeyTile)};
}

Interval tiles_of(const Problem& p, const Plan& plan) {
  Interval all;
  for (const Task& task : plan.tasks) {
    const Interval tiles = tiles_of(p, task);
    if (tiles.begin == tiles.end) continue;
    all = all.begin == all.end ? tiles : Interval{std::min(all.begin, tiles.begin), std::max(all.end, tiles.end)};
  }
  return all;
}

Plan make_plan(const Problem& p, const Kernels& kernels, bool foldable) {
  Plan plan;
  if (p.rows() == 0) return plan;
  const int64_t heads = p.heads_per_group();
  // At once: tasks of views of stride 0, which may be more than the memory holds, are refused before they are counted.
  plan.tasks.reserve(static_cast<size_t>(p.sequences() * p.groups));
  plan.threads = threads_for(p, live_pairs(p));
  for (int64_t s = 0; s < p.sequences(); ++s) {
    const Sequence sequence = p.sequence(s);
    const LiveRule rule = p.live(sequence);
    const int64_t block = queries_a_block(p, kernels, sequence.queries, plan.threads);
    for (int64_t begin = 0; begin < sequence.queries; begin += block) {
      Task task{s, 0, begin, std::min(sequence.queries, begin + block), 0};
      task.live_pairs = saturating_product(live_pairs_of(rule, task.begin, task.end), heads);
      plan.block_rows = std::max(plan.block_rows, (task.end - task.begin) * heads);
      for (task.g = 0; task.g < p.groups; ++task.g) plan.tasks.push_back(task);
    }
  }
  std::stable_sort(plan.tasks.begin(), plan.tasks.end(),
                   [](const Task& x, const Task& y) { return x.live_pairs > y.live_pairs; });
  if (foldable) plan.pieces = pieces_of(p, plan);
  return plan;
}

}  // namespace limelight::detail
