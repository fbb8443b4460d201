// In place where the memory allows, else converted and gathered into scratch, page by page.
#include "attention/key_tile.h"

#include <algorithm>

namespace limelight::detail {
namespace {

// Whether elements there may be taken as what they are; a view may begin at any byte.
bool aligned(const void* row, Storage storage) {
  return reinterpret_cast<uintptr_t>(row) % static_cast<uintptr_t>(storage_bytes(storage)) == 0;
}

// A row stride of a multiple of 4 KiB maps a tile onto few cache sets (58 % of peak against 85 %): only rows that
// follow each other without a gap are read in place.
bool without_gaps(const FloatView& view, int64_t width) {
  return view.strides[3] == 1 && view.strides[2] == view.sizes[3] && view.sizes[3] == width;
}

// Whether rows of bf16 can be packed two elements at a time, as if each pair were a float.
bool in_pairs(const FloatView& view) {
  constexpr int64_t kWhole = 8;  // elements: four pairs are transposed at once
  const auto address = reinterpret_cast<uintptr_t>(view.data);
  return view.storage == Storage::kBf16 && view.strides[3] == 1 && view.sizes[3] % kWhole == 0 &&
         address % sizeof(float) == 0 && (view.strides[0] | view.strides[1] | view.strides[2]) % 2 == 0;
}

}  // namespace

void load_rows(const Kernels& kernels, const void* from, Storage storage, int64_t row_stride, int64_t element_stride,
               int64_t count, int64_t size, float factor, int64_t width, float* to) {
  const int64_t bytes = storage_bytes(storage);
  const auto* begin = static_cast<const std::byte*>(from);
  const bool contiguous = element_stride == 1 && aligned(from, storage);
  const auto convert = [&](const void* x, int64_t n, float* y) {
    const void* widened = x;
    if (storage != Storage::kF32) {
      kernels.widen(x, storage, n, y);
      widened = y;
    }
    if (factor != 1 || widened == x) kernels.scale(static_cast<const float*>(widened), factor, n, y);
  };
  if (contiguous && row_stride == size && size == width) {
    convert(from, count * size, to);
    return;
  }
  for (int64_t r = 0; r < count; ++r, to += width) {
    const std::byte* row = begin + r * row_stride * bytes;
    if (contiguous) {
      convert(row, size, to);
    } else {
      for (int64_t d = 0; d < size; ++d) to[d] = load_float(row + d * element_stride * bytes, storage) * factor;
    }
    std::fill(to + size, to + width, 0.0f);
  }
}

bool store_row(const Kernels& kernels, float* from, float factor, int64_t size, int64_t element_stride, Storage storage,
               void* to) {
  const bool contiguous = element_stride == 1 && aligned(to, storage);
  if (contiguous && storage == Storage::kF32) {
    return kernels.scale(from, factor, size, static_cast<float*>(to));
  }
  const bool finite = kernels.scale(from, factor, size, from);
  if (contiguous) {
    kernels.narrow(from, storage, size, to);
    return finite;
  }
  auto* begin = static_cast<std::byte*>(to);
  for (int64_t n = 0; n < size; ++n) store_float(from[n], begin + n * element_stride * storage_bytes(storage), storage);
  return finite;
}

TileLoader::TileLoader(const Problem& problem, const FloatView& view, const Kernels& kernels, Scratch& scratch,
                       float factor)
    : problem_(problem),
      view_(view),
      kernels_(kernels),
      scratch_(scratch),
      factor_(factor),
      width_(round_up(view.sizes[3], kernels.lanes)) {}

bool TileLoader::together(const Sequence& sequence, int64_t first, int64_t length) const {
  return factor_ == 1 && view_.storage == Storage::kF32 && aligned(view_.data, view_.storage) &&
         problem_.run_of_keys(sequence, first) >= length;
}

FetchAhead TileLoader::ahead(const Sequence& sequence, int64_t g, int64_t first, int64_t rows) const {
  if (first >= sequence.held.end || view_.strides[3] != 1) return {};
  const int64_t bytes = storage_bytes(view_.storage);
  return {problem_.key_row(view_, sequence, g, first), view_.strides[2] * bytes, view_.sizes[3] * bytes,
          std::min({rows, sequence.held.end - first, problem_.run_of_keys(sequence, first)})};
}

KeyRows TileLoader::as_they_lie(const Sequence& sequence, int64_t g, int64_t first, int64_t length) {
  const auto* row = static_cast<const float*>(problem_.key_row(view_, sequence, g, first));
  if (together(sequence, first, length)) return {row, view_.strides[2], view_.strides[3]};
  if (in_pairs(view_) && problem_.run_of_keys(sequence, first) >= length) return {row, view_.strides[2] / 2, 1, true};
  return {gather(sequence, g, first, length), width_};
}

const float* TileLoader::panels(const Sequence& sequence, int64_t g, int64_t first, int64_t length) {
  const int64_t depth = view_.sizes[3];
  if (panels_ == nullptr) panels_ = scratch_.take<float>(round_up(kKeyTile, kernels_.panel) * depth);
  const KeyRows rows = as_they_lie(sequence, g, first, length);
  if (rows.pairs) {
    pack_pairs(rows, length);
  } else {
    kernels_.pack_panels(rows.data, rows.stride, rows.element_stride, length, depth, panels_);
  }
  return panels_;
}

// Half as many shuffles as for floats, and no pass to convert. Each panel's pairs lie in its second half until they are
// split.
void TileLoader::pack_pairs(const KeyRows& rows, int64_t length) {
  const int64_t depth = view_.sizes[3], half = depth / 2;
  for (int64_t n = 0; n < length; n += kernels_.panel) {
    float* to = panels_ + n * depth;
    float* pairs = to + half * kernels_.panel;
    const int64_t count = std::min(kernels_.panel, length - n);
    kernels_.pack_panels(rows.data + n * rows.stride, rows.stride, 1, count, half, pairs);
    kernels_.split_pairs(pairs, half, to);
  }
}

KeyRows TileLoader::in_place(const Sequence& sequence, int64_t g, int64_t first, int64_t length) {
  const KeyRows rows = as_they_lie(sequence, g, first, length);
  return rows.element_stride == 1 ? rows : KeyRows{gather(sequence, g, first, length), width_};
}

TileRows TileLoader::rows(const Sequence& sequence, int64_t g, int64_t first, int64_t length) {
  if (together(sequence, first, length) && without_gaps(view_, width_)) {
    return {static_cast<const float*>(problem_.key_row(view_, sequence, g, first)), width_};
  }
  return {gather(sequence, g, first, length), width_};
}

const float* TileLoader::gather(const Sequence& sequence, int64_t g, int64_t first, int64_t length) {
  if (rows_ == nullptr) rows_ = scratch_.take<float>(kKeyTile * width_);
  for (int64_t j = 0, run = 0; j < length; j += run) {
    run = std::min(length - j, problem_.run_of_keys(sequence, first + j));
    load_rows(kernels_, problem_.key_row(view_, sequence, g, first + j), view_.storage, view_.strides[2],
              view_.strides[3], run, view_.sizes[3], factor_, width_, rows_ + j * width_);
  }
  return rows_;
}

int64_t TileLoader::scratch_bytes(const Problem& problem, const FloatView& view, const Kernels& kernels, Use use) {
  const int64_t width = round_up(view.sizes[3], kernels.lanes);
  const bool one_page = !problem.block_table || problem.block_table->sizes[1] == 1 || view.sizes[2] % kKeyTile == 0;
  const bool floats = view.storage == Storage::kF32 && aligned(view.data, view.storage);
  bool as_they_lie = floats || in_pairs(view);
  if (use == Use::kRows) as_they_lie = floats && without_gaps(view, width);
  if (use == Use::kInPlace) as_they_lie = (floats && view.strides[3] == 1) || in_pairs(view);
  const int64_t count = (use == Use::kPanels ? round_up(kKeyTile, kernels.panel) * view.sizes[3] : 0) +
                        (one_page && as_they_lie ? 0 : kKeyTile * width);
  return count * static_cast<int64_t>(sizeof(float));
}

}  // namespace limelight::detail
