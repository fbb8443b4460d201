// One block of query rows: their state, the tiles it is fed, and the results it becomes.
#pragma once

#include <cstdint>

#include "attention/forward.h"
#include "attention/key_tile.h"
#include "attention/plan.h"
#include "attention/row_block.h"
#include "core/scratch.h"

namespace limelight::detail {

// Of each row: maximum, sum of exp(s - max), sum of exp(s - max) (s - max) and of exp(s - max) v, where wanted.
struct RowState {
  float* max = nullptr;
  float* sum = nullptr;
  float* moment = nullptr;
  float* out = nullptr;  // [rows, value size in whole vectors]
};

// The keys and values of a tile that will be read soon.
struct TileAhead {
  FetchAhead keys, values;
};

class ForwardTask {
 public:
  // Whether rows wait for memory, not for arithmetic, and there are keys to ask for ahead. Where the keys are in the
  // cache already that way takes up to 1.3 times as long, from memory 0.75 to 0.9; more than 8 rows: up to 1.5 times.
  static constexpr bool few(int64_t rows, int64_t keys) { return rows <= 8 && keys > 64; }

  // The rows of `task`, loaded, their state that of rows without keys. `capacity` rows at most. Values are taken times
  // `value_factor`, a power of two, and outputs by as much the other way.
  ForwardTask(const Problem& problem, const Kernels& kernels, const ForwardResults& results, const Task& task,
              int64_t capacity, float value_factor = 1);

  // Adds the tiles [begin, end), ascending. `next` is who comes after them, if anybody: its keys are asked for
  // meanwhile.
  void attend(int64_t begin, int64_t end, const Task* next);
  // Computes the same tiles and keeps the partial of each instead.
  void attend(int64_t begin, int64_t end, const PartialStore& store);
  // Adds partials that were kept.
  void fold(int64_t begin, int64_t end, const PartialStore& store);
  // Normalises and writes the rows.
  void finish();

 private:
  void begin();
  RowState take_state(int64_t capacity);
  void clear(const RowState& state);
  void attend_tile(int64_t tile, const RowState& state, const TileAhead& ahead = {});
  TileAhead ahead(const Sequence& sequence, int64_t g, int64_t tile) const;
  TileAhead ahead(const Task* next) const;
  int64_t piece(int64_t size) const;  // rows of keys or values that few queries meet at a time
  void multiply_keys(int64_t first, int64_t length);
  void multiply_values(int64_t first, int64_t length, float* out);
  void blend(int64_t first, int64_t length, bool skip_masked, float* out);
  void fold(const RowState& partial);
  int64_t place(const Row& row) const;  // in an array over [B, H, M]
  void write_out();
  bool write_row(int64_t r);  // whether it is finite
  void finish_row(int64_t r);
  void write_top(int64_t r, const RowTotal& total);

  const Problem& problem_;
  const Kernels& kernels_;
  const ForwardResults& results_;
  const Task& task_;
  const float out_factor_;
  Scratch scratch_;
  TileLoader keys_;
  std::optional<TileLoader> values_;
  RowBlock block_;
  Sequence sequence_;
  int64_t g_ = 0;
  Row* rows_;
  int64_t count_ = 0;
  int64_t columns_ = 0;  // value size in whole vectors
  RowState state_;
  RowState tile_;             // the partial of one tile
  float* weights_ = nullptr;  // [few rows, kScoreStride]: q.k, then exp(s - max)
  int64_t top_stride_ = 0;    // top_k in whole vectors
  float* top_score_ = nullptr;
  int64_t* top_index_ = nullptr;
  float* spare_score_ = nullptr;
  int64_t* spare_index_ = nullptr;
};

}  // namespace limelight::detail
