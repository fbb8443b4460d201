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

// Key tiles that a task reaches, as [first tile, end tile), and those that any task does.
Interval tiles_of(const Problem& problem, const Task& task);
Interval tiles_of(const Problem& problem, const Plan& plan);

}  // namespace limelight::detail
