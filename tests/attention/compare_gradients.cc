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
      slack(slack_of_bound) {}

::testing::AssertionResult GradientJudge::agrees(const Gradients& found, const std::array<Storage, 3>& stored) const {
  const auto bound = [&](Storage storage) { return Bound{.slack = slack, .times = 3, .storage = storage}; };
  if (auto r = close(found.dq, naive.dq, exact.dq, bound(stored[0])); !r) return r << " (dq)";
  if (auto r = close(found.dk, naive.dk, exact.dk, bound(stored[1])); !r) return r << " (dk)";
  if (auto r = close(found.dv, naive.dv, exact.dv, bound(stored[2])); !r) return r << " (dv)";
  if (auto r = close(found.dbias, naive.dbias, exact.dbias, bound(Storage::kF32)); !r) return r << " (dbias)";
  return close(found.dsinks, naive.dsinks, exact.dsinks, bound(Storage::kF32)) << " (dsinks)";
}

}  // namespace limelight::testing
