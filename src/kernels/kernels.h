// The only door into code compiled once per instruction set: a table of functions, and the choice of the table.
// Kernels trust their arguments and are noexcept; whoever calls has checked. Letters as in limelight/attention.h.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/ahead.h"
#include "limelight/quantised.h"
#include "limelight/storage.h"

namespace limelight::detail {

inline constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// Keys a tile. One constant, anchored at key 0 of each sequence: the order of additions, and so the bits, hang on it.
inline constexpr int64_t kKeyTile = 512;

// Floats from one row of scores to the next. Not a power of two: a column of rows 2 KiB apart falls on two cache sets.
inline constexpr int64_t kScoreStride = kKeyTile + 32;

// Keys [begin, end) that a query row sees, counted from the tile's first key.
struct KeyInterval {
  int32_t begin = 0;
  int32_t end = 0;
};

// The scores of up to `row_group` query rows against one tile of keys:
// s = scale q.k, softcap, + ALiBi, + bias, minus infinity where masked or outside the row's interval.
struct ScoreGroup {
  int64_t rows = 0, depth = 0;     // query rows, D
  const float* queries = nullptr;  // [rows, query_stride], already scaled
  int64_t query_stride = 0;
  const float* keys = nullptr;           // panels, as pack_panels writes them
  const float* products = nullptr;       // [rows, kScoreStride] q.k where they are known already; or nullptr
  const KeyInterval* live = nullptr;     // [rows]
  float softcap = 0;                     // 0: off
  const float* slopes = nullptr;         // [rows] ALiBi: + slope (distance + key); or nullptr
  const int32_t* distances = nullptr;    // [rows] of the tile's first key
  const float* const* bias = nullptr;    // [rows] pointers to [kKeyTile] floats (minus infinity masks); or nullptr
  const uint8_t* const* mask = nullptr;  // [rows] pointers to [kKeyTile] bytes (0 masks); or nullptr
  const float* const* keep = nullptr;    // [rows] pointers to [kKeyTile] dropout factors of the weights; or nullptr
};

// c[i, n] = sum over d of a[i, d] key n's d: for few rows, of keys where they lie; one chain an element, ascending d.
struct KeyProduct {
  const float* a = nullptr;  // [rows, a_stride]
  int64_t rows = 0, a_stride = 0;
  const float* keys = nullptr;  // [count, key_stride] rows of `depth` floats
  int64_t count = 0, key_stride = 0, depth = 0;
  bool pairs = false;  // each of those floats is two elements of bf16, the even one in the lower half
  float* c = nullptr;  // [rows, c_stride]
  int64_t c_stride = 0;
  FetchAhead ahead = {};  // meanwhile
};

// A row group's scores, and the state of its rows to which the tile's partial is added.
struct AttendGroup {
  ScoreGroup score;
  const float* values = nullptr;  // [keys of the tile, value_stride]; nullptr: no output is wanted
  int64_t value_stride = 0;
  int64_t value_columns = 0;  // E rounded up to whole vectors; values are readable that far
  float* max = nullptr;       // [rows + lanes] running maximum, minus infinity at first
  float* sum = nullptr;       // [rows + lanes] sum of exp(s - max)
  float* moment = nullptr;    // [rows + lanes] sum of exp(s - max) (s - max), for the entropy; or nullptr
  float* out = nullptr;       // [rows, value_columns] sum of exp(s - max) v, 0 at first
  float* weights = nullptr;   // [rows, kScoreStride] to keep exp(s - max) in, -0 where masked and beyond; or nullptr
  float* scores = nullptr;    // [rows, kScoreStride] to keep the scores in, from the first key to the last; or nullptr
  int64_t top_k = 0;
  int64_t top_stride = 0;          // top_k rounded up to whole vectors
  float* top_score = nullptr;      // [rows, top_stride] strongest scores so far, minus infinity where empty; or nullptr
  int64_t* top_index = nullptr;    // [rows, top_stride] their keys, -1 where empty
  float* spare_score = nullptr;    // [top_k + 1] to merge into
  int64_t* spare_index = nullptr;  // [top_k + 1]
  int64_t first_key = 0;           // of the tile, counted in the sequence, for top_index
};

// A row group's weights exp(s - max) inverse_sum, from the final maximum and sum of each row, added up by key.
struct WeighGroup {
  ScoreGroup score;
  const float* max = nullptr;          // [rows]
  const float* inverse_sum = nullptr;  // [rows]
  // Aligned to vectors.
  float* received = nullptr;  // [kKeyTile] += the weights, rows ascending; or nullptr
  float* pool_sum = nullptr;  // [kKeyTile] the same again, for the heatmap; or nullptr
  float* pool_max = nullptr;  // [kKeyTile] maximum over the rows; or nullptr
};

// The state of up to `row_group` rows, and the partial of one more tile to add, as attend adds its own.
struct FoldGroup {
  int64_t rows = 0;
  int64_t columns = 0;                 // whole vectors
  const float* tile_max = nullptr;     // [rows]
  const float* tile_sum = nullptr;     // [rows]
  const float* tile_moment = nullptr;  // [rows]; or nullptr
  const float* tile_out = nullptr;     // [rows, columns]
  float* max = nullptr;                // as in AttendGroup
  float* sum = nullptr;
  float* moment = nullptr;
  float* out = nullptr;
};

// What backward needs of a row group against a tile: weights P K and score gradients dS = P (dP K - delta), K the
// dropout factors, dP = dout v^T. A masked pair has -0 in both.
struct GradientGroup {
  ScoreGroup score;
  const float* lse = nullptr;    // [rows]; infinity for a row without keys
  const float* delta = nullptr;  // [rows] dout . out - dlse
  const float* douts = nullptr;  // [rows, dout_stride]
  int64_t dout_stride = 0;
  int64_t value_depth = 0;        // E
  const float* values = nullptr;  // panels, as pack_panels writes them
  int64_t width = 0;              // keys of the tile: weights and gradients are filled so far
  // Aligned to vectors.
  float* weights = nullptr;         // [rows, kScoreStride]
  float* gradients = nullptr;       // likewise: of scale q.k, softcap passed
  float* bias_gradients = nullptr;  // likewise: of the final score; or nullptr where there is no softcap or no use
};

// c[i, n] += sum over k < steps of a[i * a_row_stride + k * a_step_stride] b[k, n], i < rows, n < columns: one chain an
// element, ascending k.
struct Accumulation {
  int64_t rows = 0, steps = 0;
  int64_t columns = 0;  // whole vectors
  const float* a = nullptr;
  int64_t a_row_stride = 0, a_step_stride = 0;
  const float* b = nullptr;
  int64_t b_stride = 0;
  float* c = nullptr;
  int64_t c_stride = 0;
  bool skip_masked = false;  // b may be NaN or infinite: leave out terms whose factor a is -0
  FetchAhead ahead = {};     // meanwhile
};

// Which random bits decide: core/philox.h.
struct DropoutKey;

struct Kernels {
  std::string isa;        // "avx512"
  int64_t target = 0;     // Highway's name for what this table was compiled for
  int64_t lanes = 0;      // floats a vector
  int64_t panel = 0;      // columns a panel: 4 vectors
  int64_t row_group = 0;  // rows the product works on at once

  // Columns n of src (element (n, d) at src[n * column_stride + d * depth_stride]) into panels of `panel` columns:
  // panel p holds [depth][panel], columns beyond `columns` are 0. dst holds ceil(columns / panel) * panel * depth
  // floats.
  void (*pack_panels)(const float* src, int64_t column_stride, int64_t depth_stride, int64_t columns, int64_t depth,
                      float* dst) noexcept = nullptr;
  void (*key_products)(const KeyProduct& work) noexcept = nullptr;

  void (*attend)(const AttendGroup& group) noexcept = nullptr;
  void (*fold)(const FoldGroup& group) noexcept = nullptr;
  void (*weigh)(const WeighGroup& group) noexcept = nullptr;
  void (*gradients)(const GradientGroup& group) noexcept = nullptr;
  void (*accumulate)(const Accumulation& work) noexcept = nullptr;

  // weights = exp(scores - max) inverse_sum, as weigh computes them.
  void (*weigh_scores)(const float* scores, float max, float inverse_sum, int64_t count,
                       float* weights) noexcept = nullptr;

  // *total += the sums, in whole vectors and then the rest; *most = the largest of it and the maxima.
  void (*pool)(const float* sums, const float* maxima, int64_t count, float* total, float* most) noexcept = nullptr;

  // y = factor x, and 0 for -0: after an underflow the sign of a sum's zero hangs on terms that are masked. Returns
  // whether y is finite.
  bool (*scale)(const float* x, float factor, int64_t count, float* y) noexcept = nullptr;
  // factors[n] = dropout factor of key first_key + n of a query of a row; first_key a multiple of 4.
  void (*dropout_row)(const DropoutKey& key, int64_t row, int64_t query, int64_t first_key, int64_t count,
                      float* factors) noexcept = nullptr;
  // To and from f32; the nearest, ties to even.
  void (*widen)(const void* from, Storage storage, int64_t count, float* to) noexcept = nullptr;
  // Rows of one panel of pairs of bf16, the even element in the lower half, to twice as many rows of floats. `pairs`
  // may be the last rows of `to`.
  void (*split_pairs)(const float* pairs, int64_t rows, float* to) noexcept = nullptr;
  void (*narrow)(const float* from, Storage storage, int64_t count, void* to) noexcept = nullptr;
  float (*dot)(const float* x, const float* y, int64_t count) noexcept = nullptr;
  bool (*all_finite)(const float* x, int64_t count) noexcept = nullptr;

  // c[i, n] = bias[n] + sum_d a[i, d] b[d, n] for i < rows, n < columns; b in panels; one chain an element, ascending
  // d, the bias added last (nullptr: none).
  void (*product)(const float* a, int64_t a_stride, int64_t rows, const float* panels, int64_t depth, int64_t columns,
                  const float* bias, float* c, int64_t c_stride) noexcept = nullptr;

  // Panels of a matrix in the precision it is stored in: for each block along the depth and each field of the block
  // (core/weight_block.h), element e of column n at e * panel + n.
  // Depth [begin, end) of one such panel as floats [end - begin][panel]; both multiples of the block's weights.
  void (*expand)(const std::byte* panel, WeightType type, int64_t begin, int64_t end, float* to) noexcept = nullptr;
  // As product, with such panels: the weights never leave the level 1 cache as floats. For few rows; each row group
  // expands them anew.
  void (*product_stored)(const float* a, int64_t a_stride, int64_t rows, const std::byte* panels, WeightType type,
                         int64_t depth, int64_t columns, const float* bias, float* c,
                         int64_t c_stride) noexcept = nullptr;

  // One row of layer norm; x and y may be the same.
  void (*layer_norm)(const float* x, const float* gamma, const float* beta, float epsilon, int64_t channels,
                     float* y) noexcept = nullptr;
  void (*gelu_erf)(const float* x, int64_t count, float* y) noexcept = nullptr;
  void (*gelu_tanh)(const float* x, int64_t count, float* y) noexcept = nullptr;

  // One row of RMS norm; x and y may be the same.
  void (*rms_norm)(const float* x, const float* gamma, float epsilon, int64_t channels, float* y) noexcept = nullptr;
  // `heads` heads of 2 * half numbers, each turned by the angles whose cosines and sines [half] are given; y may be x.
  void (*rope)(const float* x, const float* cosines, const float* sines, int64_t heads, int64_t half,
               float* y) noexcept = nullptr;
  // y = gate / (1 + exp(-gate)) up; y may be either.
  void (*swiglu)(const float* gate, const float* up, int64_t count, float* y) noexcept = nullptr;

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
