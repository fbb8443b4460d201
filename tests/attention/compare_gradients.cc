// One call of the fast path forward and backward; bounds of each gradient.
#include "tests/attention/compare_gradients.h"

namespace limelight::testing {
namespace {

std::optional<TensorView<const float, 3>> view_of_optional(const Tensor<float, 3>* tensor) {
  if (tensor == nullptr) return std::nullopt;
  return tensor->view();
}

}  // namespace

Gradients gradients(const Problem& p, const Tensor<float, 4>& dout, const Tensor<float, 3>* dlse, const Run& run) {
  AttentionOptions options = p.options();
  options.run = run;
  const AttentionResult forward = attention(p.q, p.k, p.v, options);
  Gradients g{Tensor<float, 4>(p.q.sizes()), Tensor<float, 4>(p.k.sizes()), Tensor<float, 4>(p.v.sizes()), {}, {}};
  AttentionGradients to{.dq = g.dq, .dk = g.dk, .dv = g.dv};
  if (p.bias) to.dbias = (g.dbias = Tensor<float, 4>(p.bias->sizes())).view();
  if (p.sinks) to.dsinks = (g.dsinks = Tensor<float, 1>(p.sinks->sizes())).view();
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
      slack(slack_of_bound) {
  find_terms(p, dout);
}

// P_ij sum_e |dout_ie v_je| is what rounding of dP sees; times the largest |k| or |q| it arrives in dq or dk.
void GradientJudge::find_terms(const Problem& p, const Tensor<float, 4>& dout) {
  const AttentionOptions options = p.options();
  const auto forward = detail::reference_attention<double>(p.q, p.k, p.v, options);
  double largest_q = 0, largest_k = 0;
  detail::for_every_row(p.q, p.k, options, forward.sequences, [&](const detail::ReferenceRow& row) {
    const auto size = [&](const Tensor<float, 4>& v, int64_t block, int64_t g, int64_t at) {
      double sum = 0;
      for (int64_t e = 0; e < p.shape.E; ++e)
        sum += std::abs(double{dout(row.b, row.h, row.query, e)} * v(block, g, at, e));
      return sum;
    };
    double most = 0;
    for (int64_t column = row.sequence.first_column; column < row.end_column(); ++column) {
      if (forward.blocked(row.b, row.h, row.query, column)) continue;
      const auto [block, at] = row.place(column);
      const double term = double{row.dropout(column)} * size(p.v, block, row.g, at);
      most = std::max(most, term);
      ds_term = std::max(ds_term, forward.weights(row.b, row.h, row.query, column) * term);
      for (int64_t d = 0; d < p.shape.D; ++d) {
        largest_q = std::max(largest_q, std::abs(double{p.q(row.b, row.h, row.query, d)}));
        largest_k = std::max(largest_k, std::abs(double{p.k(block, row.g, at, d)}));
      }
    }
    dsinks_term = std::max(dsinks_term, forward.sink_share(row.b, row.h, row.query) * most);
  });
  const double scale = std::abs(detail::reference_scale<double>(options, p.shape.D));
  dq_term = ds_term * scale * largest_k;
  dk_term = ds_term * scale * largest_q;
}

::testing::AssertionResult GradientJudge::agrees(const Gradients& found, const std::array<Storage, 3>& stored) const {
  const auto bound = [&](Storage storage, double term) {
    return Bound{.slack = slack, .times = 3, .storage = storage, .term = term};
  };
  if (auto r = close(found.dq, naive.dq, exact.dq, bound(stored[0], dq_term)); !r) return r << " (dq)";
  if (auto r = close(found.dk, naive.dk, exact.dk, bound(stored[1], dk_term)); !r) return r << " (dk)";
  if (auto r = close(found.dv, naive.dv, exact.dv, bound(stored[2], 0)); !r) return r << " (dv)";
  if (auto r = close(found.dbias, naive.dbias, exact.dbias, bound(Storage::kF32, ds_term)); !r) return r << " (dbias)";
  return close(found.dsinks, naive.dsinks, exact.dsinks, bound(Storage::kF32, dsinks_term)) << " (dsinks)";
}

}  // namespace limelight::testing
