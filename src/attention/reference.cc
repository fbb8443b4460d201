// One function a formula: score, mask, softmax, blend; then what the lens reads off the weights.
#include "attention/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limelight::detail {
namespace {

template <class Real>
constexpr Real kMinusInfinity = -std::numeric_limits<Real>::infinity();

// The element of a view whose axes of size 1 are broadcast.
template <class T>
T broadcast_at(const TensorView<const T, 4>& view, int64_t b, int64_t h, int64_t i, int64_t j) {
  const auto& size = view.sizes;
  return view(size[0] == 1 ? 0 : b, size[1] == 1 ? 0 : h, size[2] == 1 ? 0 : i, size[3] == 1 ? 0 : j);
}

// The query row (b, h, i) of a call and what its formulas hang on.
struct Row {
  const AttentionOptions& options;
  int64_t b, h, g, i;
  int64_t m, n;  // M, and N of this sequence

  // c, the key that query i stands on.
  int64_t own_key() const { return options.causal == Causal::kTopLeft ? i : i + n - m; }

  bool sees(int64_t j) const {
    if (j >= n) return false;
    const int64_t ahead = j - own_key();
    if (options.causal != Causal::kNone && ahead > 0) return false;
    if (options.window.left >= 0 && -ahead > options.window.left) return false;
    if (options.window.right >= 0 && ahead > options.window.right) return false;
    return !options.mask || broadcast_at(*options.mask, b, h, i, j) != 0;
  }
};

// q . k
template <class Real>
Real dot(TensorView<const float, 4> q, TensorView<const float, 4> k, const Row& row, int64_t j) {
  Real sum = 0;
  for (int64_t d = 0; d < q.sizes[3]; ++d) {
    sum += static_cast<Real>(q(row.b, row.h, row.i, d)) * static_cast<Real>(k(row.b, row.g, j, d));
  }
  return sum;
}

// s = scale q . k, then c tanh(s / c), then + bias; minus infinity where masked, without a look at the key.
template <class Real>
Real score(TensorView<const float, 4> q, TensorView<const float, 4> k, const Row& row, int64_t j) {
  if (!row.sees(j)) return kMinusInfinity<Real>;
  const AttentionOptions& options = row.options;
  const Real bias = options.bias ? static_cast<Real>(broadcast_at(*options.bias, row.b, row.h, row.i, j)) : 0;
  if (bias == kMinusInfinity<Real>) return bias;
  const Real scale = options.scale ? static_cast<Real>(*options.scale) : 1 / std::sqrt(static_cast<Real>(q.sizes[3]));
  const Real cap = options.softcap;
  Real s = scale * dot<Real>(q, k, row, j);
  if (cap > 0) s = cap * std::tanh(s / cap);
  return s + bias;
}

// The largest score; NaN if there is one.
template <class Real>
Real maximum(const std::vector<Real>& s) {
  Real max = kMinusInfinity<Real>;
  for (Real x : s) max = x > max || std::isnan(x) ? x : max;
  return max;
}

// p_j = exp(s_j - max) / sum in place of s_j; returns lse = max + log sum. A row without keys: p 0, lse minus infinity.
template <class Real>
Real softmax(std::vector<Real>& s) {
  const Real max = maximum(s);
  if (max == kMinusInfinity<Real>) {
    std::fill(s.begin(), s.end(), Real{0});
    return max;
  }
  Real sum = 0;
  for (Real& x : s) sum += x = x == kMinusInfinity<Real> ? 0 : std::exp(x - max);
  for (Real& x : s) x /= sum;
  return max + std::log(sum);
}

// out = sum_j p_j v_j over the keys that are not blocked.
template <class Real>
void blend(TensorView<const float, 4> v, const Row& row, ReferenceAttention<Real>& result) {
  for (int64_t e = 0; e < v.sizes[3]; ++e) {
    Real sum = 0;
    for (int64_t j = 0; j < row.n; ++j) {
      if (result.blocked(row.b, row.h, row.i, j)) continue;
      sum += result.weights(row.b, row.h, row.i, j) * static_cast<Real>(v(row.b, row.g, j, e));
    }
    result.out(row.b, row.h, row.i, e) = sum;
  }
}

template <class Real>
void attend(TensorView<const float, 4> q, TensorView<const float, 4> k, TensorView<const float, 4> v, const Row& row,
            ReferenceAttention<Real>& result) {
  std::vector<Real> s(static_cast<size_t>(k.sizes[2]));
  for (int64_t j = 0; j < k.sizes[2]; ++j) {
    s[j] = score<Real>(q, k, row, j);
    result.blocked(row.b, row.h, row.i, j) = s[j] == kMinusInfinity<Real>;
  }
  result.lse(row.b, row.h, row.i) = softmax(s);
  for (int64_t j = 0; j < k.sizes[2]; ++j) result.weights(row.b, row.h, row.i, j) = s[j];
  blend(v, row, result);
}

// The strongest keys of a row that are not blocked, equal weights lowest index first.
template <class Real>
void pick_top(const ReferenceAttention<Real>& a, int64_t b, int64_t h, int64_t i, ReferenceLens<Real>& lens) {
  std::vector<int64_t> keys;
  for (int64_t j = 0; j < a.weights.sizes()[3]; ++j) {
    if (!a.blocked(b, h, i, j)) keys.push_back(j);
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [&](int64_t x, int64_t y) { return a.weights(b, h, i, x) > a.weights(b, h, i, y); });
  for (int64_t r = 0; r < lens.top_index.sizes()[3]; ++r) {
    const bool live = r < static_cast<int64_t>(keys.size());
    lens.top_index(b, h, i, r) = live ? keys[r] : -1;
    lens.top_weight(b, h, i, r) = live ? a.weights(b, h, i, keys[r]) : 0;
  }
}

// entropy = - sum_j p_j log p_j
template <class Real>
Real entropy(const ReferenceAttention<Real>& a, int64_t b, int64_t h, int64_t i) {
  Real sum = 0;
  for (int64_t j = 0; j < a.weights.sizes()[3]; ++j) {
    const Real p = a.weights(b, h, i, j);
    if (p != 0) sum -= p * std::log(p);
  }
  return sum;
}

// Adds the weights of a row to the mass its keys receive and to its cells (floor(i P / M), floor(j P / N)) of the
// heatmap.
template <class Real>
void pour(const ReferenceAttention<Real>& a, int64_t b, int64_t h, int64_t i, ReferenceLens<Real>& lens) {
  const int64_t m = a.weights.sizes()[2];
  const int64_t n = a.lengths[b];
  const int64_t p = lens.heatmap_sum.sizes()[2];
  for (int64_t j = 0; j < n; ++j) {
    const Real weight = a.weights(b, h, i, j);
    lens.received(b, h, j) += weight;
    if (p == 0) continue;
    lens.heatmap_sum(b, h, i * p / m, j * p / n) += weight;
    Real& max = lens.heatmap_max(b, h, i * p / m, j * p / n);
    max = std::max(max, weight);
  }
}

}  // namespace

template <class Real>
ReferenceAttention<Real> reference_attention(TensorView<const float, 4> q, TensorView<const float, 4> k,
                                             TensorView<const float, 4> v, const AttentionOptions& options) {
  const auto [batch, heads, m, depth] = q.sizes;
  const int64_t n = k.sizes[2];
  ReferenceAttention<Real> result{.out = Tensor<Real, 4>({batch, heads, m, v.sizes[3]}),
                                  .lse = Tensor<Real, 3>({batch, heads, m}),
                                  .weights = Tensor<Real, 4>({batch, heads, m, n}),
                                  .blocked = Tensor<uint8_t, 4>({batch, heads, m, n}),
                                  .lengths = std::vector<int64_t>(static_cast<size_t>(batch), n)};
  for (int64_t b = 0; b < batch; ++b) {
    if (options.key_lengths) result.lengths[b] = (*options.key_lengths)(b);
    for (int64_t h = 0; h < heads; ++h) {
      const int64_t g = h / (heads / k.sizes[1]);
      for (int64_t i = 0; i < m; ++i) attend(q, k, v, {options, b, h, g, i, m, result.lengths[b]}, result);
    }
  }
  return result;
}

template <class Real>
ReferenceLens<Real> reference_lens(const ReferenceAttention<Real>& attention, int64_t top_k, int64_t heatmap) {
  const auto [batch, heads, m, n] = attention.weights.sizes();
  ReferenceLens<Real> lens{.top_index = Tensor<int64_t, 4>({batch, heads, m, top_k}),
                           .top_weight = Tensor<Real, 4>({batch, heads, m, top_k}),
                           .received = Tensor<Real, 3>({batch, heads, n}),
                           .entropy = Tensor<Real, 3>({batch, heads, m}),
                           .heatmap_sum = Tensor<Real, 4>({batch, heads, heatmap, heatmap}),
                           .heatmap_max = Tensor<Real, 4>({batch, heads, heatmap, heatmap})};
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t i = 0; i < m; ++i) {
        pick_top(attention, b, h, i, lens);
        lens.entropy(b, h, i) = entropy(attention, b, h, i);
        pour(attention, b, h, i, lens);
      }
    }
  }
  return lens;
}

template ReferenceAttention<double> reference_attention(TensorView<const float, 4>, TensorView<const float, 4>,
                                                        TensorView<const float, 4>, const AttentionOptions&);
template ReferenceAttention<float> reference_attention(TensorView<const float, 4>, TensorView<const float, 4>,
                                                       TensorView<const float, 4>, const AttentionOptions&);
template ReferenceLens<double> reference_lens(const ReferenceAttention<double>&, int64_t, int64_t);
template ReferenceLens<float> reference_lens(const ReferenceAttention<float>&, int64_t, int64_t);

}  // namespace limelight::detail
