// The only door into code compiled once per instruction set: a table of functions, and the choice of the table.
// Kernels trust their arguments and are noexcept; whoever calls has checked. Letters as in limelight/attention.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace limelight::detail {

// Keys a tile. One constant, anchored at key 0 of each sequence: the order of additions, and so the bits, hang on it.
inline constexpr int64_t kKeyTile = 512;

// Keys [begin, end) that a query row sees, counted from the tile's first key.
struct KeyInterval {
  int32_t begin = 0;
  int32_t end = 0;
};

// The K strongest keys of one row so far: values descending, equal values by ascending index.
struct TopList {
  float* value;     // [K], minus infinity where empty
  int64_t* index;   // [K], -1 where empty
};

// A block of query rows against one packed tile of keys and values: adds the tile's partial to the rows' state.
struct AttendTile {
  int64_t rows = 0, depth = 0, length = 0;  // query rows, D, keys in the tile
  const float* queries = nullptr;           // [rows, D], already scaled
  const float* keys = nullptr;              // panels, as pack_panels writes them
  const float* values = nullptr;            // [length, value_stride]; nullptr: scores only
  int64_t value_vectors = 0;                // of E, rounded up to whole vectors
  int64_t value_stride = 0;
  const KeyInterval* live = nullptr;        // [rows], within [0, length]
  bool values_not_finite = false;           // then masked keys are skipped one by one
  float softcap = 0;
  const float* const* bias = nullptr;       // [rows] pointers to [length] floats, or nullptr
  const uint8_t* const* mask = nullptr;     // [rows] pointers to [length] bytes, or nullptr
  float* max = nullptr;                     // [rows + slack] running maximum, minus infinity at first
  float* sum = nullptr;                     // [rows + slack] sum of exp(s - max)
  float* moment = nullptr;                  // [rows + slack] sum of exp(s - max)(s - max), for the entropy; or nullptr
  float* out = nullptr;                     // [rows, value_vectors] unnormalised, 0 at first
  const TopList* top = nullptr;             // [rows] or nullptr
  int64_t top_k = 0;
  int64_t first_key = 0;                    // of the tile, for the indices in top
};

// The weights of a block of rows against one packed tile, given each row's final max and 1 / sum.
struct WeighTile {
  AttendTile tile;                 // queries, keys, live, softcap, bias, mask; max holds the final maximum
  const float* inverse_sum = nullptr;  // [rows]
  float* const* rows_out = nullptr;    // [rows] pointers to [length] weights; or nullptr
  float* column_sum = nullptr;         // [kKeyTile] += weights of all rows, ascending; or nullptr
  float* pool_sum = nullptr;           // the same again, for the heatmap; or nullptr
  float* pool_max = nullptr;           // [kKeyTile] maximum over the rows; or nullptr
};

struct Kernels {
  std::string isa;      // "avx512"
  int64_t lanes = 0;    // floats a vector
  int64_t panel = 0;    // columns a panel: 4 vectors
  int64_t row_group = 0;  // rows the product works on at once

  // Columns n of src (element (n, d) at src[n * column_stride + d * depth_stride]) into panels of `panel` columns:
  // panel p holds [depth][panel], columns beyond `columns` are 0. dst holds ceil(columns / panel) * panel * depth floats.
  void (*pack_panels)(const float* src, int64_t column_stride, int64_t depth_stride, int64_t columns, int64_t depth,
                      float* dst) noexcept = nullptr;

  void (*attend)(const AttendTile& tile) noexcept = nullptr;
  void (*weigh)(const WeighTile& tile) noexcept = nullptr;
  bool (*all_finite)(const float* values, int64_t count) noexcept = nullptr;

  // c[i, n] = bias[n] + sum_d a[i, d] b[d, n] for i < rows, n < columns; b in panels; one chain an element, ascending d,
  // the bias added last (nullptr: none).
  void (*product)(const float* a, int64_t a_stride, int64_t rows, const float* panels, int64_t depth, int64_t columns,
                  const float* bias, float* c, int64_t c_stride) noexcept = nullptr;

  // One row of layer norm; x and y may be the same.
  void (*layer_norm)(const float* x, const float* gamma, const float* beta, float epsilon, int64_t channels,
                     float* y) noexcept = nullptr;
  void (*gelu_erf)(const float* x, int64_t count, float* y) noexcept = nullptr;
  void (*gelu_tanh)(const float* x, int64_t count, float* y) noexcept = nullptr;

  // Floating multiply-adds as fast as this instruction set goes, for benchmarks; returns how many flop were done.
  double (*spin)(int64_t rounds) noexcept = nullptr;
};

// Every table this build holds and this processor can run, best first.
const std::vector<Kernels>& all_kernels();

// The table in use: LIMELIGHT_ISA or the best; a ScopedKernels overrides it (for tests).
const Kernels& active_kernels();

// Makes `kernels` the active table of this process until it goes out of scope.
class ScopedKernels {
 public:
  explicit ScopedKernels(const Kernels& kernels);
  ~ScopedKernels();
  ScopedKernels(const ScopedKernels&) = delete;
  ScopedKernels& operator=(const ScopedKernels&) = delete;

 private:
  const Kernels* previous_;
};

}  // namespace limelight::detail
