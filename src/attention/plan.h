// How a call is cut into tasks: blocks of query rows that share their keys, and pieces of keys where rows are few.
#pragma once

#include <cstdint>
#include <vector>

#include "attention/problem.h"
#include "kernels/kernels.h"

namespace limelight::detail {

// Queries [begin, end) of a sequence, for all query heads of key/value head g.
struct Task {
  int64_t sequence = 0, g = 0, begin = 0, end = 0;
  int64_t live_pairs = 0;
};

struct Plan {
  int threads = 1;          // at most as asked; one where the work is too small to share
  int64_t block_rows = 0;   // query rows a task, at most
  std::vector<Task> tasks;  // most live pairs first
  int64_t pieces = 1;       // that the key tiles of each task are cut into; more than one: partials are kept and folded
};

// Sizes depend on threads and caches; results do not. `foldable`: nothing is asked that needs a row's keys in one go.
Plan make_plan(const Problem& problem, const Kernels& kernels, bool foldable = true);

// Query-key pairs that intervals leave, over sequences and heads; and the threads worth waking for so much work.
int64_t live_pairs(const Problem& problem);
int threads_for(const Problem& problem, int64_t live_pairs);

// Key tiles from the first key that queries [begin, end) see to the last, as [first tile, end tile).
Interval tiles_of(const LiveRule& rule, int64_t begin, int64_t end);

// Key tiles that some task reaches.
Interval tiles_of(const Problem& problem, const Task& task);
Interval tiles_of(const Problem& problem, const Plan& plan);

// Bytes of the level 2 cache of one processor.
int64_t level2_bytes();

// Cells floor(index * side / size): the first index of a cell.
constexpr int64_t cell_begin(int64_t cell, int64_t side, int64_t size) {
  return (cell * size + side - 1) / side;
}
constexpr int64_t cell_of(int64_t index, int64_t side, int64_t size) {
  return index * side / size;
}

}  // namespace limelight::detail
