// Checks the arguments of an attention call and says where its sequences stand and which keys each query sees.
#include "attention/problem.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "attention/scale.h"
#include "core/checks.h"
#include "core/error.h"
#include "core/parallel.h"
#include "kernels/kernels.h"

namespace limelight::detail {
namespace {

// The view over `full` with stride 0 along each axis of size 1.
template <class T, size_t Rank>
TensorView<T, static_cast<int>(Rank)> expand(const char* where, const char* field,
                                             TensorView<T, static_cast<int>(Rank)> view,
                                             const std::array<int64_t, Rank>& full) {
  check_view(where, field, view);
  const std::array<int64_t, Rank> sizes = view.sizes;
  for (size_t axis = 0; axis < Rank; ++axis) {
    if (sizes[axis] != 1) {
      if (sizes[axis] == full[axis]) continue;
      refuse(where, field, "sizes that broadcast to " + shape_text(full.data(), Rank), shape_text(sizes.data(), Rank));
    }
    view.sizes[axis] = full[axis];
    view.strides[axis] = 0;
  }
  return view;
}

// Entries along an axis that are looked at: with stride 0 they are all the first one, and need no memory to be many.
template <class T, int Rank>
int64_t different(const TensorView<T, Rank>& view, size_t axis = 0) {
  return view.strides[axis] == 0 ? std::min<int64_t>(view.sizes[axis], 1) : view.sizes[axis];
}

// Distances from queries to keys are counted in 32 bits: longer sequences are refused.
constexpr int64_t kMostRows = std::numeric_limits<int32_t>::max();

// A size of 0 must not hide that the others multiply beyond the address space, nor tiles of such rows.
void check_extent(const char* where, const char* field, const FloatView& view) {
  check_view(where, field, view);
  int64_t product = 32 * kKeyTile;
  bool fits = view.sizes[2] <= kMostRows;
  for (int64_t size : view.sizes) {
    fits = fits && !__builtin_mul_overflow(product, std::max<int64_t>(size, 1), &product);
  }
  if (!fits) {
    refuse(where, field, "sizes in the address space, at most " + std::to_string(kMostRows) + " rows",
           shape_text(view.sizes.data(), 4));
  }
}

void check_shapes(const char* where, Problem& p) {
  check_extent(where, "q", p.q);
  check_extent(where, "k", p.k);
  p.batch = p.q.sizes[0], p.heads = p.q.sizes[1], p.queries = p.q.sizes[2], p.head_size = p.q.sizes[3];
  p.groups = p.k.sizes[1], p.keys = p.k.sizes[2];
  if (p.head_size < 1) refuse(where, "q", "a head size of at least 1", shape_text(p.q.sizes.data(), 4));
  const int64_t blocks = p.block_table ? p.k.sizes[0] : p.batch;
  check_sizes(where, "k", std::array{blocks, p.groups, p.keys, p.head_size}, p.k.sizes);
  if (p.groups == 0 ? p.heads != 0 : p.heads % p.groups != 0) {
    refuse(where, "k", "a number of heads that divides the " + std::to_string(p.heads) + " of q",
           std::to_string(p.groups));
  }
  if (!p.v) return;
  p.value_size = p.v->sizes[3];
  check_extent(where, "v", *p.v);
  check_sizes(where, "v", std::array{blocks, p.groups, p.k.sizes[2], p.value_size}, p.v->sizes);
}

void check_numbers(const char* where, const Problem& p) {
  if (!std::isfinite(p.scale)) refuse(where, "scale", "a finite number", number_text(p.scale));
  if (p.softcap != 0 && (!std::isnormal(p.softcap) || p.softcap < 0)) {  // of a subnormal one 1 / softcap overflows
    refuse(where, "softcap", "0 (off) or a positive normal number", number_text(p.softcap));
  }
  if (p.window.left < -1) refuse(where, "window.left", "-1 (unlimited) or more", std::to_string(p.window.left));
  if (p.window.right < -1) refuse(where, "window.right", "-1 (unlimited) or more", std::to_string(p.window.right));
  if (p.causal != Causal::kNone && p.causal != Causal::kTopLeft && p.causal != Causal::kBottomRight) {
    refuse(where, "causal", "kNone, kTopLeft or kBottomRight", std::to_string(static_cast<int>(p.causal)));
  }
  if (!(p.dropout.probability >= 0 && p.dropout.probability < 1)) {
    refuse(where, "dropout.probability", "0 (off) to below 1", number_text(p.dropout.probability));
  }
  check_threads(p.run);
}

void check_heads(const char* where, Problem& p) {
  if (p.alibi_slopes) {
    p.alibi_slopes = expand(where, "alibi_slopes", *p.alibi_slopes, std::array{p.batch, p.heads});
    for (int64_t b = 0; b < different(*p.alibi_slopes, 0); ++b) {
      for (int64_t h = 0; h < different(*p.alibi_slopes, 1); ++h) {
        const float slope = (*p.alibi_slopes)(b, h);
        if (!std::isfinite(slope)) refuse(where, "alibi_slopes", "finite numbers", number_text(slope));
      }
    }
  }
  if (p.sinks) check_sinks(where, *p.sinks, p.heads);
}

void check_cumulative(const char* where, const std::string& field, const TensorView<const int64_t, 1>& cu,
                      int64_t total) {
  check_view(where, field, cu);
  const int64_t last = cu.sizes[0] - 1;
  if (last < 0 || cu(0) != 0)
    refuse(where, field, "a list that begins with 0", last < 0 ? "none" : std::to_string(cu(0)));
  for (int64_t s = 0; s < different(cu) - 1; ++s) {
    if (cu(s + 1) < cu(s)) {
      refuse(where, field + "[" + std::to_string(s + 1) + "]", "at least " + std::to_string(cu(s)),
             std::to_string(cu(s + 1)));
    }
  }
  if (cu(last) != total) {
    refuse(where, field + "[" + std::to_string(last) + "]", std::to_string(total), std::to_string(cu(last)));
  }
}

void check_packed(const char* where, const Problem& p) {
  if (p.cu_k && !p.cu_q) refuse(where, "cu_q", "a view, since cu_k is given", "none");
  if (!p.cu_q) return;
  if (p.batch != 1) refuse(where, "q", "a batch of 1 with cu_q", std::to_string(p.batch));
  check_cumulative(where, "cu_q", *p.cu_q, p.queries);
  if (p.cu_k.has_value() == p.block_table.has_value()) {
    refuse(where, "cu_k", "either cu_k or block_table with cu_q", p.cu_k ? "both" : "neither");
  }
  if (!p.cu_k) return;
  if (p.key_lengths) refuse(where, "key_lengths", "none with cu_k", "a view");
  check_cumulative(where, "cu_k", *p.cu_k, p.keys);
  check_sizes(where, "cu_k", p.cu_q->sizes, p.cu_k->sizes);
}

void check_lengths(const char* where, const Problem& p) {
  if (!p.key_lengths) return;
  check_view(where, "key_lengths", *p.key_lengths, std::array{p.sequences()});
  for (int64_t s = 0; s < different(*p.key_lengths); ++s) {
    const int64_t length = (*p.key_lengths)(s);
    if (length < 0 || length > p.keys) {
      refuse(where, "key_lengths[" + std::to_string(s) + "]", "0 to " + std::to_string(p.keys), std::to_string(length));
    }
  }
}

// Every page that a live key stands on.
void check_pages(const char* where, const Problem& p) {
  const int64_t page = p.k.sizes[2];
  if (p.keys > 0 && page < 1) refuse(where, "k", "pages of at least 1 key", "0");
  const int64_t sequences = std::max(different(*p.key_lengths), different(*p.block_table));
  for (int64_t s = 0; s < sequences; ++s) {
    const int64_t length = (*p.key_lengths)(s);
    for (int64_t n = 0; n * page < length; ++n) {
      const int64_t index = (*p.block_table)(s, n);
      if (index >= 0 && index < p.k.sizes[0]) continue;
      refuse(where, "block_table[" + std::to_string(s) + ", " + std::to_string(n) + "]",
             "a page of 0 to " + std::to_string(p.k.sizes[0] - 1), std::to_string(index));
    }
  }
}

void check_paged(const char* where, Problem& p) {
  if (!p.block_table) return;
  if (!p.key_lengths) refuse(where, "key_lengths", "a view, since block_table is given", "none");
  check_view(where, "block_table", *p.block_table, std::array{p.sequences(), int64_t{-1}});
  const int64_t columns = p.block_table->sizes[1], page = p.k.sizes[2];
  if (page > 0 && columns > kMostRows / page) {
    refuse(where, "block_table", "columns for at most " + std::to_string(kMostRows) + " keys",
           std::to_string(columns) + " pages of " + std::to_string(page));
  }
  p.keys = columns * page;
}

void check_part(const char* where, const Problem& p) {
  if (!p.part) return;
  if (p.key_lengths || p.cu_q || p.block_table) {
    refuse(where, "part", "none with key_lengths, cu_q or block_table", "a part");
  }
  check_range(where, "part.total", p.part->total, 0, kMostRows);
  if (p.part->first < 0 || p.part->first > p.part->total - p.keys) {
    refuse(where, "part", "room for " + std::to_string(p.keys) + " keys within the total",
           "first " + std::to_string(p.part->first) + ", total " + std::to_string(p.part->total));
  }
}

Problem gathered(const FloatView& q, const FloatView& k, const std::optional<FloatView>& v,
                 const AttentionOptions& options) {
  Problem p;
  p.q = q, p.k = k, p.v = v;
  p.causal = options.causal, p.window = options.window, p.softcap = options.softcap;
  p.alibi_slopes = options.alibi_slopes, p.sinks = options.sinks;
  p.key_lengths = options.key_lengths, p.cu_q = options.cu_q, p.cu_k = options.cu_k;
  p.block_table = options.block_table, p.part = options.part;
  p.dropout = options.dropout, p.run = options.run;
  return p;
}

}  // namespace

void check_sinks(const char* where, const TensorView<const float, 1>& sinks, int64_t heads) {
  check_view(where, "sinks", sinks, std::array{heads});
  for (int64_t h = 0; h < different(sinks); ++h) {
    if (std::isfinite(sinks(h)) || sinks(h) == kMinusInfinity) continue;
    refuse(where, "sinks[" + std::to_string(h) + "]", "a finite number or minus infinity", std::to_string(sinks(h)));
  }
}

void check_outputs(const char* where, const Problem& p, const FloatOutput& out,
                   const std::optional<TensorView<float, 3>>& lse) {
  check_view(where, "out", out, std::array{p.batch, p.heads, p.queries, p.value_size});
  if (lse) check_view(where, "lse", *lse, std::array{p.batch, p.heads, p.queries});
}

Sequence Problem::sequence(int64_t s) const {
  Sequence sequence{s, cu_q ? 0 : s, 0, queries, keys, {0, keys}, 0};
  if (cu_q) {
    sequence.first_query = (*cu_q)(s);
    sequence.queries = (*cu_q)(s + 1) - sequence.first_query;
  }
  if (cu_k) {
    sequence.key_shift = (*cu_k)(s);
    sequence.keys = (*cu_k)(s + 1) - sequence.key_shift;
  }
  if (key_lengths) sequence.keys = (*key_lengths)(s);
  sequence.held = {0, sequence.keys};
  if (part) {
    sequence.keys = part->total;
    sequence.held = {part->first, part->first + keys};
    sequence.key_shift = -part->first;
  }
  return sequence;
}

LiveRule Problem::live(const Sequence& s) const {
  const int64_t offset = causal == Causal::kTopLeft ? 0 : s.keys - s.queries;
  // Beyond N + M a limit cuts nothing, and the sums cannot overflow.
  const int64_t widest = s.keys + s.queries;
  LiveRule rule{s.held, -s.queries, s.keys};
  if (causal != Causal::kNone) rule.end_shift = std::min(rule.end_shift, offset + 1);
  if (window.left >= 0) rule.begin_shift = std::max(rule.begin_shift, offset - std::min(window.left, widest));
  if (window.right >= 0) rule.end_shift = std::min(rule.end_shift, offset + std::min(window.right, widest) + 1);
  return rule;
}

float Problem::sink(int64_t head) const {
  return sinks ? (*sinks)(head) : kMinusInfinity;
}

int64_t Problem::run_of_keys(const Sequence& s, int64_t j) const {
  return block_table ? std::min(k.sizes[2] - j % k.sizes[2], s.held.end - j) : s.held.end - j;
}

Problem check_problem(const char* where, const FloatView& q, const FloatView& k, const std::optional<FloatView>& v,
                      const AttentionOptions& options) {
  Problem p = gathered(q, k, v, options);
  check_shapes(where, p);
  p.scale = scale_of(options, p.head_size);
  check_numbers(where, p);
  check_heads(where, p);
  check_packed(where, p);
  check_paged(where, p);
  check_lengths(where, p);
  if (p.block_table) check_pages(where, p);
  check_part(where, p);
  const std::array<int64_t, 4> full{p.batch, p.heads, p.queries, p.keys};
  if (options.bias) p.bias = expand(where, "bias", *options.bias, full);
  if (options.mask) p.mask = expand(where, "mask", *options.mask, full);
  return p;
}

}  // namespace limelight::detail
