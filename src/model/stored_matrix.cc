// Stored weights: repacked into panels, and multiplied by few rows straight from them or by many through tiles.
#include "model/stored_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "core/checks.h"
#include "core/parallel.h"
#include "core/rounding.h"
#include "core/scratch.h"
#include "core/weight_block.h"
#include "kernels/kernels.h"
#include "nn/rows.h"

namespace limelight::detail {
namespace {

// Depth of a tile of floats, in whole blocks: 32 KiB with AVX-512's panels, 16 with AVX2's. Measured at 8 to 64 rows:
// 1.1 to 1.5 times as fast as tiles for the level 2 cache.
constexpr int64_t kTileDepth = 128;

// Rows that go by such a tile in one task. Expanding it costs about as much as three of them; more rows would push
// their sums out of the level 1 cache.
constexpr int64_t kTaskRows = 128;
constexpr int64_t kExpandRows = 3;

// Where each thread gets so many rows it goes through the whole matrix with them, as in nn/linear.cc. With twice the
// rows in a task (SmolLM2's matrices on two threads, against panels of 64 rows): 3 to 7 % faster from 130 rows on.
constexpr int64_t kFewestRows = 60;

// A row of a part, as its blocks lie.
struct SourceRow {
  const std::byte* data;
  int64_t block_stride;
};

std::vector<SourceRow> rows_of(std::span<const StoredRows> parts, int64_t blocks, int64_t block_bytes) {
  std::vector<SourceRow> rows;
  for (const StoredRows& part : parts) {
    const bool in_line = part.row_stride == 0 && part.block_stride == 0;
    const int64_t row_stride = in_line ? blocks * block_bytes : part.row_stride;
    for (int64_t n = 0; n < part.rows; ++n) {
      rows.push_back({part.data + n * row_stride, in_line ? block_bytes : part.block_stride});
    }
  }
  return rows;
}

// Element e of a column goes to to[e * panel], in elements of kWidth bytes.
template <size_t kWidth>
void spread(const std::byte* from, int64_t count, int64_t panel, std::byte* to) {
  for (int64_t e = 0; e < count; ++e, from += kWidth, to += static_cast<size_t>(panel) * kWidth) {
    std::memcpy(to, from, kWidth);
  }
}

// One block of one column.
void spread_block(const std::byte* from, std::span<const WeightField> fields, int64_t panel, int64_t column,
                  std::byte* to) {
  for (const WeightField& field : fields) {
    std::byte* place = to + column * field.width;
    if (field.width == 1) {
      spread<1>(from, field.count, panel, place);
    } else if (field.width == 2) {
      spread<2>(from, field.count, panel, place);
    } else {
      spread<4>(from, field.count, panel, place);
    }
    from += field.width * field.count;
    to += field.width * field.count * panel;
  }
}

void pack_panel(std::span<const SourceRow> rows, int64_t blocks, WeightType type, int64_t panel, std::byte* to) {
  const auto fields = weight_fields(type);
  const int64_t step = weight_block(type).bytes * panel;
  if (static_cast<int64_t>(rows.size()) < panel) std::memset(to, 0, static_cast<size_t>(blocks * step));
  for (int64_t b = 0; b < blocks; ++b, to += step) {
    for (size_t n = 0; n < rows.size(); ++n) {
      spread_block(rows[n].data + b * rows[n].block_stride, fields, panel, static_cast<int64_t>(n), to);
    }
  }
}

// Calls f(begin, end, floats) for consecutive tiles of a panel's depth.
template <class F>
void for_tiles(const Kernels& kernels, const std::byte* panel, WeightType type, int64_t depth, const F& f) {
  if (depth == 0) return;
  Scratch scratch;
  const int64_t block = weight_block(type).weights;
  const int64_t step = round_up(ceil_div(depth, ceil_div(depth, kTileDepth)), block);
  float* floats = scratch.take<float>(step * kernels.panel);
  for (int64_t k = 0; k < depth; k += step) {
    const int64_t end = std::min(k + step, depth);
    kernels.expand(panel, type, k, end, floats);
    f(k, end, static_cast<const float*>(floats));
  }
}

struct BadWeight {
  int64_t column, k;
  float found;
};

// The first NaN or infinity in the first column of a panel that holds one.
std::optional<BadWeight> find_bad(const Kernels& kernels, const std::byte* panel, WeightType type, int64_t depth) {
  std::optional<BadWeight> bad;
  for_tiles(kernels, panel, type, depth, [&](int64_t begin, int64_t end, const float* floats) {
    const int64_t count = (end - begin) * kernels.panel;
    if (kernels.all_finite(floats, count)) return;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t column = i % kernels.panel;
      if (std::isfinite(floats[i]) || (bad && bad->column <= column)) continue;
      bad = {column, begin + i / kernels.panel, floats[i]};
    }
  });
  return bad;
}

}  // namespace

StoredMatrix::StoredMatrix(std::span<const StoredRows> parts, int64_t in, WeightType type,
                           const RefuseWeight& refuse_weight, const Run& run)
    : in_(in), type_(type), kernels_(&active_kernels()) {
  const WeightBlock block = weight_block(type);
  if (in < 0 || in % block.weights != 0) {
    refuse("stored_matrix", "in", "a multiple of " + std::to_string(block.weights), std::to_string(in));
  }
  const int64_t blocks = in / block.weights;
  const std::vector<SourceRow> rows = rows_of(parts, blocks, block.bytes);
  out_ = static_cast<int64_t>(rows.size());
  const int64_t panel_columns = kernels_->panel;
  const int64_t panels = ceil_div(out_, panel_columns);
  memory_ = allocate_aligned(static_cast<size_t>(panels * panel_columns * blocks * block.bytes));
  parallel_for(panels, run, "stored_matrix", [&](int64_t p) {
    const auto first = static_cast<size_t>(p * panel_columns);
    const auto count = std::min(static_cast<size_t>(panel_columns), rows.size() - first);
    auto* to = static_cast<std::byte*>(memory_.get()) + p * panel_columns * blocks * block.bytes;
    pack_panel(std::span(rows).subspan(first, count), blocks, type, panel_columns, to);
    if (const auto bad = find_bad(*kernels_, to, type, in)) {
      refuse_weight(p * panel_columns + bad->column, bad->k, bad->found);
    }
  });
}

const std::byte* StoredMatrix::panel(int64_t first_column) const {
  const WeightBlock block = weight_block(type_);
  return static_cast<const std::byte*>(memory_.get()) + first_column * (in_ / block.weights) * block.bytes;
}

void StoredMatrix::read_row(int64_t n, float* to) const {
  const int64_t columns = kernels_->panel;
  for_tiles(*kernels_, panel(n / columns * columns), type_, in_, [&](int64_t begin, int64_t end, const float* floats) {
    for (int64_t k = begin; k < end; ++k) to[k] = floats[(k - begin) * columns + n % columns];
  });
}

namespace {

// y = sums + bias for a block of rows, one panel wide.
void store_rows(const float* sums, int64_t sums_stride, int64_t columns, const float* bias, TensorView<float, 2> y) {
  for (int64_t t = 0; t < y.sizes[0]; ++t) {
    const float* from = sums + t * sums_stride;
    float* to = y.data + t * y.strides[0];
    if (bias == nullptr) {
      std::copy_n(from, columns, to);
    } else {
      for (int64_t n = 0; n < columns; ++n) to[n] = from[n] + bias[n];
    }
  }
}

// Many rows against one panel of weights, tile by tile.
void multiply_panel(const Kernels& kernels, const std::byte* panel, WeightType type, TensorView<const float, 2> x,
                    const float* bias, TensorView<float, 2> y) {
  const auto [rows, depth] = x.sizes;
  Scratch scratch;
  float* sums = scratch.take<float>(rows * kernels.panel);
  std::fill_n(sums, rows * kernels.panel, 0.0f);
  for_tiles(kernels, panel, type, depth, [&](int64_t begin, int64_t end, const float* floats) {
    kernels.accumulate({.rows = rows,
                        .steps = end - begin,
                        .columns = kernels.panel,
                        .a = x.data + begin,
                        .a_row_stride = x.strides[0],
                        .a_step_stride = 1,
                        .b = floats,
                        .b_stride = kernels.panel,
                        .c = sums,
                        .c_stride = kernels.panel});
  });
  store_rows(sums, kernels.panel, y.sizes[1], bias, y);
}

}  // namespace

void multiply(const StoredMatrix& w, TensorView<const float, 2> x, const float* bias, TensorView<float, 2> y,
              const Run& run) {
  const int64_t rows = x.sizes[0];
  check_rows<2>("stored_matrix", "x", x, {-1, w.in_});
  check_output_rows("stored_matrix", "y", y, {rows, w.out_});
  if (rows == 0 || w.out_ == 0) return;
  const Kernels& kernels = *w.kernels_;
  const bool few = rows <= kernels.row_group;
  const int threads = threads_worth(run, static_cast<double>(w.in_ * w.out_) * static_cast<double>(rows + kExpandRows));
  const int64_t panels = ceil_div(w.out_, kernels.panel);
  const bool by_rows = threads == 1 || rows >= kFewestRows * threads;
  const int64_t few_panels = std::max<int64_t>(1, panels / tasks_for(threads));
  const int64_t panels_a_task = by_rows ? panels : few ? few_panels : 1;
  const int64_t wanted = round_up(ceil_div(rows, kTaskRows), by_rows ? threads : 1);
  const int64_t rows_a_task = round_up(ceil_div(rows, wanted), kernels.row_group);
  const int64_t row_blocks = ceil_div(rows, rows_a_task);
  const int64_t panel_blocks = ceil_div(panels, panels_a_task);
  parallel_for(row_blocks * panel_blocks, run, "stored_matrix", [&](int64_t index) {
    const int64_t row = index % row_blocks * rows_a_task;
    const int64_t count = std::min(rows_a_task, rows - row);
    const int64_t first = index / row_blocks * panels_a_task * kernels.panel;
    const int64_t last = std::min(w.out_, first + panels_a_task * kernels.panel);
    const float* from = x.data + row * x.strides[0];
    float* to = y.data + row * y.strides[0];
    if (few) {
      kernels.product_stored(from, x.strides[0], count, w.panel(first), w.type_, w.in_, last - first,
                             bias == nullptr ? nullptr : bias + first, to + first, y.strides[0]);
      return;
    }
    for (int64_t n = first; n < last; n += kernels.panel) {
      multiply_panel(kernels, w.panel(n), w.type_, {from, {count, w.in_}, x.strides},
                     bias == nullptr ? nullptr : bias + n,
                     {to + n, {count, std::min(kernels.panel, last - n)}, y.strides});
    }
  });
}

}  // namespace limelight::detail
