// Errors, bounds and the checks of whole results.
#include "tests/attention/compare.h"

#include <set>

namespace limelight::testing {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

// The top-k of row (b, h, i): live keys, each once, strongest first, as many as there are, with the reference's
// weights.
AssertionResult row_top_agrees(const LensResult& found, const detail::ReferenceAttention<double>& exact,
                               const detail::ReferenceLens<double>& lens, double bound, int64_t b, int64_t h,
                               int64_t i) {
  std::set<int64_t> seen;
  for (int64_t r = 0; r < found.top_index.sizes()[3]; ++r) {
    const int64_t key = found.top_index(b, h, i, r);
    const double weight = found.top_weight(b, h, i, r);
    const auto wrong = [&](const char* what) {
      return AssertionFailure() << what << ": b " << b << " h " << h << " i " << i << " rank " << r << " key " << key
                                << " weight " << weight << ", reference key " << lens.top_index(b, h, i, r)
                                << " weight " << lens.top_weight(b, h, i, r);
    };
    if ((key < 0) != (lens.top_index(b, h, i, r) < 0)) return wrong("number of live keys");
    if (key < 0) {
      if (key != -1 || weight != 0) return wrong("empty rank is not -1 with weight 0");
      continue;
    }
    if (exact.blocked(b, h, i, key)) return wrong("blocked key");
    if (!seen.insert(key).second) return wrong("key twice");
    if (difference(weight, lens.top_weight(b, h, i, r)) > bound) return wrong("weight of the rank");
    if (difference(weight, exact.weights(b, h, i, key)) > bound) return wrong("weight of the key");
  }
  return AssertionSuccess();
}

AssertionResult top_agrees(const LensResult& found, const detail::ReferenceAttention<double>& exact,
                           const detail::ReferenceLens<double>& lens, double bound) {
  if (found.top_index.sizes() != lens.top_index.sizes()) return AssertionFailure() << "top_index: sizes differ";
  const auto [batch, heads, m, k] = lens.top_index.sizes();
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t i = 0; i < m; ++i) {
        if (const auto row = row_top_agrees(found, exact, lens, bound, b, h, i); !row) return row;
      }
    }
  }
  return AssertionSuccess();
}

// Rows `chosen` of [B, H, M, N].
template <class T>
Tensor<T, 4> rows_of(const Tensor<T, 4>& all, const std::vector<int64_t>& chosen) {
  const auto [batch, heads, m, n] = all.sizes();
  Tensor<T, 4> rows({batch, heads, static_cast<int64_t>(chosen.size()), n});
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t h = 0; h < heads; ++h) {
      for (size_t r = 0; r < chosen.size(); ++r) {
        const int64_t i = chosen[r] < 0 ? chosen[r] + m : chosen[r];
        for (int64_t j = 0; j < n; ++j) rows(b, h, r, j) = all(b, h, i, j);
      }
    }
  }
  return rows;
}

}  // namespace

double difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double d = std::abs(a - b);
  return std::isfinite(d) ? d : std::numeric_limits<double>::infinity();
}

double ulp(double magnitude, Storage storage) {
  const float x = static_cast<float>(magnitude);
  const double spacing = x == 0 ? 0 : x - std::nextafter(x, 0.0f);
  switch (storage) {
    case Storage::kF16:
      return std::max(spacing * 0x1p13, 0x1p-24);
    case Storage::kBf16:
      return std::max(spacing * 0x1p16, 0x1p-133);
    default:
      return std::max(spacing, 0x1p-149);
  }
}

AssertionResult same_bits(const LensResult& a, const LensResult& b) {
  if (auto r = same_bits(a.rows, b.rows); !r) return r << " (rows)";
  if (auto r = same_bits(a.rows_blocked, b.rows_blocked); !r) return r << " (rows_blocked)";
  if (auto r = same_bits(a.top_index, b.top_index); !r) return r << " (top_index)";
  if (auto r = same_bits(a.top_weight, b.top_weight); !r) return r << " (top_weight)";
  if (auto r = same_bits(a.received, b.received); !r) return r << " (received)";
  if (auto r = same_bits(a.entropy, b.entropy); !r) return r << " (entropy)";
  if (auto r = same_bits(a.heatmap_sum, b.heatmap_sum); !r) return r << " (heatmap_sum)";
  if (auto r = same_bits(a.heatmap_max, b.heatmap_max); !r) return r << " (heatmap_max)";
  return same_bits(a.sink_share, b.sink_share) << " (sink_share)";
}

Judge::Judge(const Problem& p, double slack_of_bound)
    : exact(detail::reference_attention<double>(p.q, p.k, p.v, p.options())),
      naive(detail::reference_attention<float>(p.q, p.k, p.v, p.options())),
      slack(slack_of_bound) {}

AssertionResult Judge::agrees(const AttentionResult& found, Storage stored) const {
  if (auto r = close(found.out, naive.out, exact.out, {.slack = slack, .storage = stored}); !r) return r << " (out)";
  return close(found.lse, naive.lse, exact.lse, {slack}) << " (lse)";
}

AssertionResult Judge::agrees(const LensResult& found, const LensRequest& request) const {
  const auto lens = detail::reference_lens(exact, request.top_k, request.heatmap);
  const auto plain = detail::reference_lens(naive, request.top_k, request.heatmap);
  if (!request.rows.empty()) {
    const auto r =
        close(found.rows, rows_of(naive.weights, request.rows), rows_of(exact.weights, request.rows), {slack});
    if (!r) return AssertionFailure() << r.message() << " (rows)";
    const auto blocked = same_bits(found.rows_blocked, rows_of(exact.blocked, request.rows));
    if (!blocked) return AssertionFailure() << blocked.message() << " (rows_blocked)";
  }
  const Error weights = error_of(naive.weights, exact.weights);
  if (request.top_k > 0) {
    if (auto r = top_agrees(found, exact, lens, slack * (2 * weights.max + 4 * ulp(weights.largest))); !r) return r;
  }
  if (request.received) {
    if (auto r = close(found.received, plain.received, lens.received, {slack}); !r) return r << " (received)";
  }
  if (request.entropy) {
    if (auto r = close(found.entropy, plain.entropy, lens.entropy, {slack}); !r) return r << " (entropy)";
  }
  if (request.heatmap > 0) {
    if (auto r = close(found.heatmap_sum, plain.heatmap_sum, lens.heatmap_sum, {slack}); !r)
      return r << " (heatmap_sum)";
    if (auto r = close(found.heatmap_max, plain.heatmap_max, lens.heatmap_max, {slack}); !r)
      return r << " (heatmap_max)";
  }
  if (found.sink_share.count() > 0) {
    // exp(sink - lse): the rounding of lse is relative to the share.
    double term = 0;
    for (int64_t n = 0; n < exact.lse.count(); ++n) {
      if (exact.sink_share.data()[n] > 0) {
        term = std::max(term, exact.sink_share.data()[n] * std::max(1.0, std::abs(exact.lse.data()[n])));
      }
    }
    const Bound bound{.slack = slack, .term = term};
    if (auto r = close(found.sink_share, naive.sink_share, exact.sink_share, bound); !r) return r << " (sink_share)";
  }
  return AssertionSuccess();
}

}  // namespace limelight::testing
