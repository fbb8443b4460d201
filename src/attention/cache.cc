// New keys and values written behind those that a cache of the caller holds.
#include "limelight/cache.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/checks.h"

namespace limelight {
namespace {

using Counts = std::optional<TensorView<const int64_t, 1>>;

constexpr const char* kWhere = "append";

std::string at_index(const char* field, int64_t b) {
  return std::string(field) + "[" + std::to_string(b) + "]";
}

void check_shapes(const KeyValueCache& cache, const FloatView& k, const FloatView& v, const Counts& counts) {
  detail::check_view(kWhere, "k", k);
  const auto [batch, groups, rows, head_size] = k.sizes;
  detail::check_view(kWhere, "v", v, std::array<int64_t, 4>{batch, groups, rows, -1});
  const int64_t first = cache.block_table ? -1 : batch;
  detail::check_view(kWhere, "cache.k", cache.k, std::array<int64_t, 4>{first, groups, -1, head_size});
  const std::array<int64_t, 4> values{cache.k.sizes[0], groups, cache.k.sizes[2], v.sizes[3]};
  detail::check_view(kWhere, "cache.v", cache.v, values);
  const std::array<int64_t, 1> each{batch};
  detail::check_view(kWhere, "cache.lengths", cache.lengths, each);
  if (counts) detail::check_view(kWhere, "counts", *counts, each);
  if (!cache.block_table) return;
  detail::check_view(kWhere, "cache.block_table", *cache.block_table, std::array<int64_t, 2>{batch, -1});
}

// What sequence b gets fits behind what it holds.
void check_room(const KeyValueCache& cache, int64_t b, int64_t count) {
  const int64_t rows = cache.k.sizes[2];
  const int64_t columns = cache.block_table ? cache.block_table->sizes[1] : 1;
  int64_t capacity = 0;
  if (__builtin_mul_overflow(columns, rows, &capacity)) capacity = std::numeric_limits<int64_t>::max();
  const int64_t length = cache.lengths(b);
  const std::string field = at_index("cache.lengths", b);
  detail::check_range(kWhere, field, length, 0, capacity);
  if (count <= capacity - length) return;
  const std::string pages = cache.block_table ? std::to_string(columns) + " pages of " : "";
  detail::refuse(kWhere, field, "room for " + std::to_string(count) + " more keys in " + pages + std::to_string(rows),
                 std::to_string(length) + " keys");
}

// The pages that are written exist, and no two columns write to the same one.
void check_pages(const KeyValueCache& cache, const std::vector<int64_t>& counts) {
  struct Use {
    int64_t page, b, column;
  };
  std::vector<Use> uses;
  for (int64_t b = 0; b < static_cast<int64_t>(counts.size()); ++b) {
    if (counts[b] == 0) continue;
    const int64_t begin = cache.lengths(b), last = begin + counts[b] - 1;
    for (int64_t c = begin / cache.k.sizes[2]; c <= last / cache.k.sizes[2]; ++c) {
      uses.push_back({(*cache.block_table)(b, c), b, c});
    }
  }
  const auto field = [](const Use& use) {
    return "cache.block_table[" + std::to_string(use.b) + ", " + std::to_string(use.column) + "]";
  };
  for (const Use& use : uses) detail::check_range(kWhere, field(use), use.page, 0, cache.k.sizes[0] - 1);
  std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.page < b.page; });
  const auto same = [](const Use& a, const Use& b) { return a.page == b.page; };
  const auto twice = std::adjacent_find(uses.begin(), uses.end(), same);
  if (twice == uses.end()) return;
  detail::refuse(kWhere, field(twice[1]), "a page that nothing else is written to",
                 std::to_string(twice->page) + ", as " + field(*twice));
}

// How many rows each sequence gets, all of which fit.
std::vector<int64_t> check_counts(const KeyValueCache& cache, int64_t batch, int64_t rows, const Counts& given) {
  std::vector<int64_t> counts(static_cast<size_t>(batch), rows);
  for (int64_t b = 0; b < batch; ++b) {
    if (given) counts[b] = (*given)(b);
    detail::check_range(kWhere, at_index("counts", b), counts[b], 0, rows);
    check_room(cache, b, counts[b]);
  }
  if (cache.block_table) check_pages(cache, counts);
  return counts;
}

// Row (b, g, m) of `from` becomes row (to_b, g, to_m) of `to`.
void copy_row(const FloatView& from, int64_t b, int64_t g, int64_t m, const FloatOutput& to, int64_t to_b,
              int64_t to_m) {
  const int64_t size = from.sizes[3];
  if (size == 0) return;
  if (from.storage == to.storage && from.strides[3] == 1 && to.strides[3] == 1) {
    std::memcpy(to.at(to_b, g, to_m, 0), from.at(b, g, m, 0), static_cast<size_t>(size * storage_bytes(to.storage)));
    return;
  }
  for (int64_t d = 0; d < size; ++d) {
    store_float(load_float(from.at(b, g, m, d), from.storage), to.at(to_b, g, to_m, d), to.storage);
  }
}

}  // namespace

void append(const KeyValueCache& cache, FloatView k, FloatView v, Counts counts) {
  check_shapes(cache, k, v, counts);
  const auto [batch, groups, rows, head_size] = k.sizes;
  const std::vector<int64_t> added = check_counts(cache, batch, rows, counts);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t m = 0; m < added[b]; ++m) {
      int64_t to_b = b, to_m = cache.lengths(b) + m;
      if (cache.block_table) to_b = (*cache.block_table)(b, to_m / cache.k.sizes[2]), to_m %= cache.k.sizes[2];
      for (int64_t g = 0; g < groups; ++g) {
        copy_row(k, b, g, m, cache.k, to_b, to_m);
        copy_row(v, b, g, m, cache.v, to_b, to_m);
      }
    }
    cache.lengths(b) += added[b];
  }
}

}  // namespace limelight
