// Checks the arguments of an attention call and says which keys each query sees.
#include "attention/problem.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.h"
#include "core/parallel.h"

namespace limelight::detail {
namespace {

[[noreturn]] void refuse(const char* where, const std::string& field, const std::string& expected,
                         const std::string& found) {
  fail_argument("[" + std::string(where) + "] " + field + ": expected " + expected + ", found " + found);
}

// Sizes at least 0, and memory wherever there is an element.
template <class T, int Rank>
void check_view(const char* where, const char* field, const TensorView<T, Rank>& view) {
  for (int64_t size : view.sizes) {
    if (size < 0) refuse(where, field, "sizes of at least 0", shape_text(view.sizes.data(), Rank));
  }
  // By each size: the product of a null view's sizes need not fit.
  const bool any = std::all_of(view.sizes.begin(), view.sizes.end(), [](int64_t size) { return size > 0; });
  if (view.data == nullptr && any) {
    refuse(where, field, "memory for " + shape_text(view.sizes.data(), Rank), "a null pointer");
  }
}

// The view over [B, H, M, N] with stride 0 along each axis of size 1.
template <class T>
TensorView<T, 4> expand(const char* where, const char* field, TensorView<T, 4> view, const Problem& p) {
  check_view(where, field, view);
  const std::array<int64_t, 4> full{p.batch, p.heads, p.queries, p.keys};
  for (int axis = 0; axis < 4; ++axis) {
    if (view.sizes[axis] == full[axis]) continue;
    if (view.sizes[axis] != 1) {
      refuse(where, field, "sizes that broadcast to " + shape_text(full.data(), 4), shape_text(view.sizes.data(), 4));
    }
    view.sizes[axis] = full[axis];
    view.strides[axis] = 0;
  }
  return view;
}

void check_shapes(const char* where, Problem& p) {
  check_view(where, "q", p.q);
  check_view(where, "k", p.k);
  p.batch = p.q.sizes[0], p.heads = p.q.sizes[1], p.queries = p.q.sizes[2], p.head_size = p.q.sizes[3];
  p.groups = p.k.sizes[1], p.keys = p.k.sizes[2];
  if (p.head_size < 1) refuse(where, "q", "a head size of at least 1", shape_text(p.q.sizes.data(), 4));
  const std::array<int64_t, 4> k_sizes{p.batch, p.groups, p.keys, p.head_size};
  check_sizes(where, "k", k_sizes.data(), p.k.sizes.data(), 4);
  if (p.groups == 0 ? p.heads != 0 : p.heads % p.groups != 0) {
    refuse(where, "k", "a number of heads that divides the " + std::to_string(p.heads) + " of q",
           std::to_string(p.groups));
  }
  if (!p.v) return;
  check_view(where, "v", *p.v);
  p.value_size = p.v->sizes[3];
  const std::array<int64_t, 4> v_sizes{p.batch, p.groups, p.keys, p.value_size};
  check_sizes(where, "v", v_sizes.data(), p.v->sizes.data(), 4);
}

void check_numbers(const char* where, const Problem& p) {
  if (!std::isfinite(p.scale)) refuse(where, "scale", "a finite number", std::to_string(p.scale));
  if (!std::isfinite(p.softcap) || p.softcap < 0) {
    refuse(where, "softcap", "0 (off) or a positive finite number", std::to_string(p.softcap));
  }
  if (p.window.left < -1) refuse(where, "window.left", "-1 (unlimited) or more", std::to_string(p.window.left));
  if (p.window.right < -1) refuse(where, "window.right", "-1 (unlimited) or more", std::to_string(p.window.right));
  if (p.causal != Causal::kNone && p.causal != Causal::kTopLeft && p.causal != Causal::kBottomRight) {
    refuse(where, "causal", "kNone, kTopLeft or kBottomRight", std::to_string(static_cast<int>(p.causal)));
  }
  thread_count(p.run);
}

void check_lengths(const char* where, const Problem& p) {
  if (!p.key_lengths) return;
  check_view(where, "key_lengths", *p.key_lengths);
  check_sizes(where, "key_lengths", &p.batch, p.key_lengths->sizes.data(), 1);
  for (int64_t b = 0; b < p.batch; ++b) {
    const int64_t length = (*p.key_lengths)(b);
    if (length < 0 || length > p.keys) {
      refuse(where, "key_lengths[" + std::to_string(b) + "]", "0 to " + std::to_string(p.keys), std::to_string(length));
    }
  }
}

}  // namespace

void check_sizes(const char* where, const char* field, const int64_t* expected, const int64_t* found, int64_t rank) {
  if (!std::equal(expected, expected + rank, found)) {
    refuse(where, field, shape_text(expected, rank), shape_text(found, rank));
  }
}

void check_outputs(const char* where, const Problem& p, const TensorView<float, 4>& out,
                   const std::optional<TensorView<float, 3>>& lse) {
  const std::array<int64_t, 4> sizes{p.batch, p.heads, p.queries, p.value_size};
  check_view(where, "out", out);
  check_sizes(where, "out", sizes.data(), out.sizes.data(), 4);
  if (!lse) return;
  check_view(where, "lse", *lse);
  check_sizes(where, "lse", sizes.data(), lse->sizes.data(), 3);
}

LiveRule Problem::live(int64_t b) const {
  const int64_t n = length(b);
  const int64_t offset = causal == Causal::kTopLeft ? 0 : n - queries;
  // Beyond n + queries a limit cuts nothing, and the sums cannot overflow.
  const int64_t widest = n + queries;
  LiveRule rule{n, -queries, n};
  if (causal != Causal::kNone) rule.end_shift = std::min(rule.end_shift, offset + 1);
  if (window.left >= 0) rule.begin_shift = std::max(rule.begin_shift, offset - std::min(window.left, widest));
  if (window.right >= 0) rule.end_shift = std::min(rule.end_shift, offset + std::min(window.right, widest) + 1);
  return rule;
}

Problem check_problem(const char* where, TensorView<const float, 4> q, TensorView<const float, 4> k,
                      std::optional<TensorView<const float, 4>> v, const AttentionOptions& options) {
  Problem p;
  p.q = q, p.k = k, p.v = v;
  p.causal = options.causal, p.window = options.window, p.softcap = options.softcap, p.run = options.run;
  p.key_lengths = options.key_lengths;
  check_shapes(where, p);
  p.scale = options.scale.value_or(1.0f / std::sqrt(static_cast<float>(p.head_size)));
  check_numbers(where, p);
  check_lengths(where, p);
  if (options.bias) p.bias = expand(where, "bias", *options.bias, p);
  if (options.mask) p.mask = expand(where, "mask", *options.mask, p);
  return p;
}

}  // namespace limelight::detail
