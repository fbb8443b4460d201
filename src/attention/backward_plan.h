// How backward is cut into tasks: key blocks, each with all the queries that see it, handed out in ascending order.
#pragma once

#include <cstdint>
#include <vector>

#include "attention/problem.h"
#include "core/rounding.h"
#include "kernels/kernels.h"

namespace limelight::detail {

// Keys [first, first + length) of a sequence and a key/value head.
struct KeyBlock {
  int64_t sequence = 0, g = 0, first = 0, length = 0;
};

struct BackwardPlan {
  int64_t block_keys = 0;                    // keys a block, at most
  int64_t chunk_rows = 0;                    // queries that meet a block at a time
  std::vector<std::vector<KeyBlock>> tasks;  // blocks that one thread works on, one after the other
  std::vector<int64_t> first_chunk;          // per sequence: its first chunk, counted over all of them
  int64_t chunks = 0;                        // of all sequences

  int64_t chunks_of(int64_t queries) const { return ceil_div(queries, chunk_rows); }
};

// `across_heads`: one task owns a block of columns for all sequences and heads (a bias gradient is summed over them).
BackwardPlan make_backward_plan(const Problem& problem, const Kernels& kernels, int threads, bool across_heads);

}  // namespace limelight::detail
