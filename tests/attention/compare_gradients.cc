// One call of the fast path forward and backward; bounds of each gradient.
#include "tests/attention/compare_gradients.h"

#include <algorithm>
#include <cmath>

namespace limelight::testing {
namespace {

std::optional<TensorView<const float, 3>> view_of_optional(const Tensor<float, 3>* tensor) {
  if (tensor == nullptr) return std::nullopt;
  return tensor->view();
}

// sum_e |dout_ie v_je|: what the rounding of dP_ij sees.
double size_of_dp(const Problem& p, const detail::ReferenceRow& row, int64_t column, const Tensor<float, 4>& dout) {
  const auto [block, at] = row.place(column);
  double sum = 0;
  for (int64_t e = 0; e < p.shape.E; ++e) {
    sum += std::abs(double{dout(row.b, row.h, row.query, e)} * p.v(block, row.g, at, e));
  }
  return sum * row.dropout(column);
}

double largest_of(const Tensor<float, 4>& tensor, int64_t a, int64_t b, int64_t c) {
  double most = 0;
  for (int64_t d = 0; d < tensor.sizes()[3]; ++d) most = std::max(most, std::abs(double{tensor(a, b, c, d)}));
  return most;
}

// Of dS = P (dP - delta + dlse), and times the largest |k|, |q| or |dout| what arrives in dq, dk and dv. Weights are
// rebuilt from lse, which is rounded: relative half an ulp of lse, a term of its own where |lse| is large.
GradientTerms find_terms(const Problem& p, const Tensor<float, 4>& dout, const Tensor<float, 3>* dlse) {
  const AttentionOptions options = p.options();
  const auto forward = detail::reference_attention<double>(p.q, p.k, p.v, options);
  const double scale = std::abs(detail::reference_scale<double>(options, p.shape.D));
  GradientTerms terms;
  double largest_ds = 0, largest_q = 0, largest_k = 0;
  detail::for_every_row(p.q, p.k, options, forward.sequences, [&](const detail::ReferenceRow& row) {
    const double rebuilt = std::max(1.0, std::abs(forward.lse(row.b, row.h, row.query)) / 2);
    double most = dlse == nullptr ? 0 : std::abs((*dlse)(row.b, row.h, row.query));
    for (int64_t column = row.sequence.first_column; column < row.end_column(); ++column) {
      if (forward.blocked(row.b, row.h, row.query, column)) continue;
      const double weight = rebuilt * forward.weights(row.b, row.h, row.query, column);
      const double dp = size_of_dp(p, row, column, dout);
      most = std::max(most, dp);
      largest_ds = std::max(largest_ds, weight * dp);
      terms.dv = std::max(terms.dv, weight * row.dropout(column) * largest_of(dout, row.b, row.h, row.query));
      largest_q = std::max(largest_q, largest_of(p.q, row.b, row.h, row.query));
      largest_k = std::max(largest_k, largest_of(p.k, row.place(column).block, row.g, row.place(column).row));
    }
    const double share = forward.sink_share(row.b, row.h, row.query);
    if (share > 0) terms.dsinks = std::max(terms.dsinks, rebuilt * share * most);
  });
  terms.dq = largest_ds * scale * largest_k;
  terms.dk = largest_ds * scale * largest_q;
  // A bias of one column gets dlse less the sink's share: those two cancel as well.
  terms.dbias = p.bias && p.bias->sizes()[3] == 1 ? std::max(largest_ds, terms.dsinks) : largest_ds;
  return terms;
}

// What a gradient that is not written would show.
template <int Rank>
Tensor<float, Rank> unwritten(const std::array<int64_t, Rank>& sizes) {
  Tensor<float, Rank> tensor(sizes);
  std::fill_n(tensor.data(), tensor.count(), kNaN);
  return tensor;
}

}  // namespace

Gradients gradients(const Problem& p, const Tensor<float, 4>& dout, const Tensor<float, 3>* dlse, const Run& run) {
  AttentionOptions options = p.options();
  options.run = run;
  const AttentionResult forward = attention(p.q, p.k, p.v, options);
  Gradients g{unwritten<4>(p.q.sizes()), unwritten<4>(p.k.sizes()), unwritten<4>(p.v.sizes()), {}, {}};
  AttentionGradients to{.dq = g.dq, .dk = g.dk, .dv = g.dv};
  if (p.bias) to.dbias = (g.dbias = unwritten<4>(p.bias->sizes())).view();
  if (p.sinks) to.dsinks = (g.dsinks = unwritten<1>(p.sinks->sizes())).view();
  attention_backward(p.q, p.k, p.v, options, forward.out, forward.lse, dout, to, view_of_optional(dlse));
  return g;
}

::testing::AssertionResult same_bits(const Gradients& a, const Gradients& b) {
  if (auto r = same_bits(a.dq, b.dq); !r) return r << " (dq)";
  if (auto r = same_bits(a.dk, b.dk); !r) return r << " (dk)";
  if (auto r = same_bits(a.dv, b.dv); !r) return r << " (dv)";
  if (auto r = same_bits(a.dbias, b.dbias); !r) return r << " (dbias)";
  return same_bits(a.dsinks, b.dsinks) << " (dsinks)";
}

GradientJudge::GradientJudge(const Problem& p, const Tensor<float, 4>& dout, const Tensor<float, 3>* dlse,
                             double slack_of_bound)
    : exact(detail::reference_backward<double>(p.q, p.k, p.v, p.options(), dout, view_of_optional(dlse))),
      naive(detail::reference_backward<float>(p.q, p.k, p.v, p.options(), dout, view_of_optional(dlse))),
      terms(find_terms(p, dout, dlse)),
      slack(slack_of_bound) {}

::testing::AssertionResult GradientJudge::agrees(const Gradients& found, const std::array<Storage, 3>& stored) const {
  const auto bound = [&](Storage storage, double term) {
    return Bound{.slack = slack, .times = 3, .storage = storage, .term = term};
  };
  if (auto r = close(found.dq, naive.dq, exact.dq, bound(stored[0], terms.dq)); !r) return r << " (dq)";
  if (auto r = close(found.dk, naive.dk, exact.dk, bound(stored[1], terms.dk)); !r) return r << " (dk)";
  if (auto r = close(found.dv, naive.dv, exact.dv, bound(stored[2], terms.dv)); !r) return r << " (dv)";
  if (auto r = close(found.dbias, naive.dbias, exact.dbias, bound(Storage::kF32, terms.dbias)); !r)
    return r << " (dbias)";
  return close(found.dsinks, naive.dsinks, exact.dsinks, bound(Storage::kF32, terms.dsinks)) << " (dsinks)";
}

}  // namespace limelight::testing
