// Query rows that share their keys, and one tile of those keys at a time, in the form the kernels read.
#pragma once

#include <cstdint>
#include <span>

#include "attention/problem.h"
#include "core/scratch.h"
#include "kernels/kernels.h"

namespace limelight::detail {

struct Row {
  int64_t head = 0;
  int64_t query = 0;
};

// What a row's weights are computed with, from its final maximum and sum.
struct RowTotal {
  bool dead = false;  // no key left
  float max = 0;
  float inverse_sum = 0;
};

inline RowTotal total_of(float max, float sum) {
  if (max == kMinusInfinity && sum == 0) return {true, 0, 0};
  return {false, max, 1.0f / sum};
}

// Keys [first, first + length) of one key/value head, packed into panels.
struct KeyTile {
  int64_t b = 0, first = 0, length = 0;
  const float* panels = nullptr;
};

// Allocates from `scratch`; a tile of at most kKeyTile keys at a time.
class KeyPacker {
 public:
  KeyPacker(const Problem& problem, const Kernels& kernels, Scratch& scratch);
  KeyTile pack(int64_t b, int64_t g, int64_t first, int64_t length);

 private:
  const Problem& problem_;
  const Kernels& kernels_;
  float* panels_;
};

// Rows of one batch entry and one key/value head: queries scaled and contiguous, key intervals, bias rows on demand.
class RowBlock {
 public:
  RowBlock(const Problem& problem, const Kernels& kernels, int64_t capacity, Scratch& scratch);

  // Loads rows, at most capacity, of batch entry b. The span must live as long as they are used.
  void load(int64_t b, std::span<const Row> rows);

  std::span<const Row> rows() const { return rows_; }
  Interval reach() const { return reach_; }  // keys that any row sees

  // Rows [first, first + count), at most a row group, against a tile. Valid until the next call.
  ScoreGroup scores(int64_t first, int64_t count, const KeyTile& tile);

 private:
  void load_queries();
  const float* bias_row(const Row& row, const KeyTile& tile, KeyInterval live, int64_t slot);

  const Problem& problem_;
  const Kernels& kernels_;
  int64_t b_ = 0;
  std::span<const Row> rows_;
  Interval reach_;
  float* queries_;          // [capacity, D]
  Interval* live_;          // [capacity]
  KeyInterval* relative_;   // [row group]
  const float** bias_;      // [row group]
  float* bias_rows_;        // [row group, kKeyTile]; taken where the problem has a bias or a mask
  float* gathered_;         // [kKeyTile], strided bias made contiguous
  uint8_t* gathered_mask_;  // [kKeyTile]
};

}  // namespace limelight::detail
