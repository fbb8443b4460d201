// Query rows that share their keys, in the form the kernels read, with what each key tile asks of them.
#pragma once

#include <cstdint>
#include <span>

#include "attention/key_tile.h"
#include "attention/problem.h"
#include "core/philox.h"
#include "core/scratch.h"
#include "kernels/kernels.h"

namespace limelight::detail {

struct Row {
  int64_t head = 0;
  int64_t query = 0;
};

// What a row's weights are computed with, from its final maximum and sum.
struct RowTotal {
  bool dead = false;  // no key left, and no sink
  float max = 0;
  float inverse_sum = 0;
};

inline RowTotal total_of(float max, float sum) {
  if (max == kMinusInfinity && sum == 0) return {true, 0, 0};
  return {false, max, 1.0f / sum};
}

// The state of a row before its first key: a sink is a score that is there already.
inline void begin_row(float sink, float& max, float& sum) {
  max = sink;
  sum = sink == kMinusInfinity ? 0.0f : 1.0f;
}

// Rows of one sequence and one key/value head: queries scaled and contiguous, key intervals, bias and dropout rows on
// demand.
class RowBlock {
 public:
  RowBlock(const Problem& problem, const Kernels& kernels, int64_t capacity, Scratch& scratch);

  // Loads rows, at most capacity, of a sequence. The span must live as long as they are used.
  void load(const Sequence& sequence, std::span<const Row> rows);

  const Sequence& sequence() const { return sequence_; }
  std::span<const Row> rows() const { return rows_; }
  Interval reach() const { return reach_; }  // keys that any row sees
  Interval live(int64_t r) const { return live_[r]; }
  const float* queries() const { return queries_; }  // [rows, width()], scaled
  int64_t width() const { return width_; }           // D in whole vectors

  // Rows [first, first + count), at most a row group, against a tile. Valid until the next call.
  ScoreGroup scores(int64_t first, int64_t count, const KeyTile& tile);

 private:
  void load_queries();
  const float* keep_row(const Row& row, const KeyTile& tile, KeyInterval live, int64_t slot);

  const Problem& problem_;
  const Kernels& kernels_;
  Sequence sequence_;
  std::span<const Row> rows_;
  Interval reach_;
  int64_t width_;
  float* queries_;
  Interval* live_;         // [capacity]
  KeyInterval* relative_;  // [row group]
  // Of one row group; taken where the problem has what they hold.
  float* slopes_ = nullptr;
  int32_t* distances_ = nullptr;
  const float** bias_ = nullptr;
  const uint8_t** mask_ = nullptr;
  const float** keep_ = nullptr;
  float* bias_rows_ = nullptr;  // [row group, kKeyTile]
  uint8_t* mask_rows_ = nullptr;
  float* keep_rows_ = nullptr;
  DropoutKey dropout_;
};

}  // namespace limelight::detail
