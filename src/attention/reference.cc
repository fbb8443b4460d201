// One function a formula: score, mask, softmax, blend; then what the lens reads off the weights.
#include "attention/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limelight::detail {
namespace {

template <class Real>
constexpr Real kMinusInfinity = -std::numeric_limits<Real>::infinity();

template <class Real>
struct Inputs {
  Tensor<Real, 4> q, k, v;
  Real scale;
};

// s = scale q . k, then c tanh(s / c), then + slope (j - (i + N - M)), then + bias; minus infinity where masked,
// without a look at the key.
template <class Real>
Real score(const Inputs<Real>& in, const ReferenceRow& row, int64_t column) {
  if (!row.sees(column)) return kMinusInfinity<Real>;
  const Real bias = row.bias(column);
  if (bias == kMinusInfinity<Real>) return bias;
  const Real cap = row.options.softcap;
  Real s = in.scale * reference_dot(in.q, in.k, row, column);
  if (cap > 0) s = cap * std::tanh(s / cap);
  return s + static_cast<Real>(row.alibi_slope()) * static_cast<Real>(row.alibi_distance(column)) + bias;
}

// The largest score; NaN if there is one.
template <class Real>
Real maximum(const std::vector<Real>& s, Real sink) {
  Real max = sink;
  for (Real x : s) max = x > max || std::isnan(x) ? x : max;
  return max;
}

// p_j = exp(s_j - max) / sum in place of s_j; returns lse = max + log sum. Neither keys nor sink: p 0, lse minus
// infinity.
template <class Real>
Real softmax(std::vector<Real>& s, Real sink) {
  const Real max = maximum(s, sink);
  if (max == kMinusInfinity<Real>) {
    std::fill(s.begin(), s.end(), Real{0});
    return max;
  }
  Real sum = 0;
  for (Real& x : s) sum += x = x == kMinusInfinity<Real> ? 0 : std::exp(x - max);
  if (sink != kMinusInfinity<Real>) sum += std::exp(sink - max);
  for (Real& x : s) x /= sum;
  return max + std::log(sum);
}

// out = sum_j p_j K_j v_j over the keys that are not blocked; K is the dropout factor.
template <class Real>
void blend(const Tensor<Real, 4>& v, const ReferenceRow& row, ReferenceAttention<Real>& result) {
  for (int64_t column = row.sequence.first_column; column < row.end_column(); ++column) {
    if (result.blocked(row.b, row.h, row.query, column)) continue;
    const Real weight = result.weights(row.b, row.h, row.query, column) * static_cast<Real>(row.dropout(column));
    const KeyPlace key = row.place(column);
    for (int64_t e = 0; e < v.sizes()[3]; ++e) {
      result.out(row.b, row.h, row.query, e) += weight * v(key.block, row.g, key.row, e);
    }
  }
}

template <class Real>
void attend(const Inputs<Real>& in, const ReferenceRow& row, ReferenceAttention<Real>& result) {
  const int64_t first = row.sequence.first_column;
  const Real sink = row.sink();
  std::vector<Real> s(static_cast<size_t>(row.sequence.columns));
  for (int64_t n = 0; n < row.sequence.columns; ++n) {
    s[n] = score(in, row, first + n);
    result.blocked(row.b, row.h, row.query, first + n) = s[n] == kMinusInfinity<Real>;
  }
  const Real lse = softmax(s, sink);
  result.lse(row.b, row.h, row.query) = lse;
  if (sink != kMinusInfinity<Real>) result.sink_share(row.b, row.h, row.query) = std::exp(sink - lse);
  for (int64_t n = 0; n < row.sequence.columns; ++n) result.weights(row.b, row.h, row.query, first + n) = s[n];
  blend(in.v, row, result);
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
// heatmap; in a pack i, j, M and N are those of the pack.
template <class Real>
void pour(const ReferenceAttention<Real>& a, const ReferenceSequence& sequence, int64_t h, int64_t i,
          ReferenceLens<Real>& lens) {
  const int64_t b = sequence.batch;
  const int64_t m = a.weights.sizes()[2];
  const int64_t p = lens.heatmap_sum.sizes()[2];
  for (int64_t j = sequence.first_column; j < sequence.first_column + sequence.columns; ++j) {
    const Real weight = a.weights(b, h, i, j);
    lens.received(sequence.receiver, h, j) += weight;
    if (p == 0) continue;
    lens.heatmap_sum(b, h, i * p / m, j * p / sequence.pooled) += weight;
    Real& max = lens.heatmap_max(b, h, i * p / m, j * p / sequence.pooled);
    max = std::max(max, weight);
  }
}

}  // namespace

template <class Real>
Real reference_scale(const AttentionOptions& options, int64_t head_size) {
  return options.scale ? static_cast<Real>(*options.scale) : 1 / std::sqrt(static_cast<Real>(head_size));
}

template <class Real>
Real reference_dot(const Tensor<Real, 4>& q, const Tensor<Real, 4>& k, const ReferenceRow& row, int64_t column) {
  const KeyPlace key = row.place(column);
  Real sum = 0;
  for (int64_t d = 0; d < q.sizes()[3]; ++d) sum += q(row.b, row.h, row.query, d) * k(key.block, row.g, key.row, d);
  return sum;
}

template <class Real>
ReferenceAttention<Real> reference_attention(FloatView q, FloatView k, FloatView v, const AttentionOptions& options) {
  const auto [batch, heads, m, depth] = q.sizes;
  const int64_t n = reference_columns(k, options);
  ReferenceAttention<Real> result{.out = Tensor<Real, 4>({batch, heads, m, v.sizes[3]}),
                                  .lse = Tensor<Real, 3>({batch, heads, m}),
                                  .weights = Tensor<Real, 4>({batch, heads, m, n}),
                                  .blocked = Tensor<uint8_t, 4>({batch, heads, m, n}),
                                  .sink_share = Tensor<Real, 3>({batch, heads, m}),
                                  .sequences = reference_sequences(q, k, options)};
  std::fill_n(result.blocked.data(), result.blocked.count(), uint8_t{1});
  const Inputs<Real> in{widened<Real>(q), widened<Real>(k), widened<Real>(v), reference_scale<Real>(options, depth)};
  for_every_row(q, k, options, result.sequences, [&](const ReferenceRow& row) { attend(in, row, result); });
  return result;
}

template <class Real>
ReferenceLens<Real> reference_lens(const ReferenceAttention<Real>& attention, int64_t top_k, int64_t heatmap) {
  const auto [batch, heads, m, n] = attention.weights.sizes();
  ReferenceLens<Real> lens{.top_index = Tensor<int64_t, 4>({batch, heads, m, top_k}),
                           .top_weight = Tensor<Real, 4>({batch, heads, m, top_k}),
                           .received = Tensor<Real, 3>(
                               {attention.sequences.empty() ? 0 : attention.sequences.back().receiver + 1, heads, n}),
                           .entropy = Tensor<Real, 3>({batch, heads, m}),
                           .heatmap_sum = Tensor<Real, 4>({batch, heads, heatmap, heatmap}),
                           .heatmap_max = Tensor<Real, 4>({batch, heads, heatmap, heatmap})};
  for (const ReferenceSequence& sequence : attention.sequences) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t i = sequence.first_query; i < sequence.first_query + sequence.queries; ++i) {
        pick_top(attention, sequence.batch, h, i, lens);
        lens.entropy(sequence.batch, h, i) = entropy(attention, sequence.batch, h, i);
        pour(attention, sequence, h, i, lens);
      }
    }
  }
  return lens;
}

template double reference_scale(const AttentionOptions&, int64_t);
template float reference_scale(const AttentionOptions&, int64_t);
template double reference_dot(const Tensor<double, 4>&, const Tensor<double, 4>&, const ReferenceRow&, int64_t);
template float reference_dot(const Tensor<float, 4>&, const Tensor<float, 4>&, const ReferenceRow&, int64_t);
template ReferenceAttention<double> reference_attention(FloatView, FloatView, FloatView, const AttentionOptions&);
template ReferenceAttention<float> reference_attention(FloatView, FloatView, FloatView, const AttentionOptions&);
template ReferenceLens<double> reference_lens(const ReferenceAttention<double>&, int64_t, int64_t);
template ReferenceLens<float> reference_lens(const ReferenceAttention<float>&, int64_t, int64_t);

}  // namespace limelight::detail
