// One tile of keys or values at a time, in the form the kernels read, from memory of any layout and storage.
#pragma once

#include <cstdint>

#include "attention/problem.h"
#include "core/rounding.h"
#include "core/scratch.h"
#include "kernels/kernels.h"

namespace limelight::detail {

// Keys [first, first + length) of one key/value head, packed into panels.
struct KeyTile {
  int64_t first = 0, length = 0;
  const float* panels = nullptr;
};

// The same keys as rows, padded with 0 to whole vectors.
struct TileRows {
  const float* data = nullptr;
  int64_t stride = 0;
};

// The same keys where the memory has them, strides in floats.
struct KeyRows {
  const float* data = nullptr;
  int64_t stride = 0, element_stride = 1;
  bool pairs = false;  // each float is two elements of bf16, the even one in the lower half
};

// Of k or v; a tile of at most kKeyTile keys at a time, valid until the next call of the same function. Allocates from
// `scratch`.
class TileLoader {
 public:
  // Rows come times `factor`.
  TileLoader(const Problem& problem, const FloatView& view, const Kernels& kernels, Scratch& scratch, float factor = 1);

  const float* panels(const Sequence& sequence, int64_t g, int64_t first, int64_t length);
  TileRows rows(const Sequence& sequence, int64_t g, int64_t first, int64_t length);

  // Rows for a product with few queries, which takes any distance between them.
  KeyRows in_place(const Sequence& sequence, int64_t g, int64_t first, int64_t length);
  // Up to `rows` rows from key `first` on, as far as they follow each other in memory.
  FetchAhead ahead(const Sequence& sequence, int64_t g, int64_t first, int64_t rows) const;

  int64_t width() const { return width_; }  // of a row, in whole vectors

  // What a loader takes from its scratch for one of panels(), rows() and in_place().
  enum class Use { kPanels, kRows, kInPlace };
  static int64_t scratch_bytes(const Problem& problem, const FloatView& view, const Kernels& kernels, Use use);

 private:
  KeyRows as_they_lie(const Sequence& sequence, int64_t g, int64_t first, int64_t length);
  void pack_pairs(const KeyRows& rows, int64_t length);
  bool together(const Sequence& sequence, int64_t first, int64_t length) const;
  const float* gather(const Sequence& sequence, int64_t g, int64_t first, int64_t length);

  const Problem& problem_;
  const FloatView& view_;
  const Kernels& kernels_;
  Scratch& scratch_;
  float factor_;
  int64_t width_;
  float* panels_ = nullptr;
  float* rows_ = nullptr;
};

// `count` rows of `size` elements, row_stride apart, times `factor`, into rows of `width` floats padded with 0. Strides
// are in elements.
void load_rows(const Kernels& kernels, const void* from, Storage storage, int64_t row_stride, int64_t element_stride,
               int64_t count, int64_t size, float factor, int64_t width, float* to);

// `size` floats times `factor` into elements `element_stride` apart; `from` is scratch afterwards. Whether the products
// are all finite.
bool store_row(const Kernels& kernels, float* from, float factor, int64_t size, int64_t element_stride, Storage storage,
               void* to);

}  // namespace limelight::detail
