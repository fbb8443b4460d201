// One key block: it walks the queries that see it, ascending, keeps its own dk and dv, and adds to dq in its turn.
#pragma once

#include <cstdint>

#include "attention/backward_plan.h"
#include "attention/key_tile.h"
#include "attention/row_block.h"
#include "core/scratch.h"
#include "core/turns.h"
#include "limelight/backward.h"

namespace limelight::detail {

// What all tasks of a call share.
struct Backward {
  const Problem& problem;
  const Kernels& kernels;
  const BackwardPlan& plan;
  const AttentionGradients& gradients;
  FloatView dout;
  const float* lse = nullptr;    // [B, H, M], infinity for a row without keys
  const float* delta = nullptr;  // [B, H, M], dout . out - dlse
  float* dq = nullptr;           // [B, H, M, D in whole vectors], sums of dS k; or nullptr
  Turns* turns = nullptr;        // one place for every head and chunk
};

class BackwardTask {
 public:
  explicit BackwardTask(const Backward& call);

  // False when another task has failed.
  bool run(const KeyBlock& block);

 private:
  void load(const KeyBlock& block);
  bool meet(int64_t head, int64_t chunk);  // false as run()
  void load_rows_of(int64_t head, int64_t begin, int64_t end);
  void weigh();
  void add_to_keys();
  void add_to_keys(int64_t key, int64_t keys, int64_t row, int64_t rows);
  bool add_to_queries(int64_t head, int64_t chunk);
  void write();

  const Backward& call_;
  const Problem& problem_;
  const Kernels& kernels_;
  Scratch scratch_;
  TileLoader keys_, values_;
  RowBlock block_;
  Sequence sequence_;
  LiveRule rule_;
  int64_t g_ = 0;
  KeyTile tile_;
  TileRows key_rows_;
  const float* value_panels_ = nullptr;
  bool finite_keys_ = true, finite_rows_ = true;
  Row* rows_;
  int64_t count_ = 0;
  int64_t value_width_;  // E in whole vectors
  float* douts_;         // [chunk rows, value width]
  float* weights_;       // [chunk rows, kScoreStride]
  float* gradients_;     // likewise
  float* bias_gradients_ = nullptr;
  float* dk_;  // [block keys, D in whole vectors]
  float* dv_;  // [block keys, value width]
};

}  // namespace limelight::detail
