// Sizes of everything that goes in and comes out, and pages that have one owner.
#include "attention/backward_check.h"

#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/checks.h"

namespace limelight::detail {
namespace {

void check_gradient(const char* field, const std::optional<FloatOutput>& gradient, const FloatView& of) {
  if (gradient) check_view(kBackward, field, *gradient, of.sizes);
}

// A page in two places would have two owners of its gradient. Without queries all gradients are 0, and nobody counts.
void check_pages_apart(const Problem& p) {
  if (!p.block_table || p.rows() == 0) return;
  std::vector<bool> taken(static_cast<size_t>(p.k.sizes[0]));
  for (int64_t s = 0; s < p.sequences(); ++s) {
    for (int64_t n = 0; n * p.k.sizes[2] < (*p.key_lengths)(s); ++n) {
      const int64_t page = (*p.block_table)(s, n);
      if (taken[static_cast<size_t>(page)]) {
        refuse(kBackward, "block_table[" + std::to_string(s) + ", " + std::to_string(n) + "]",
               "a page of its own: gradients of shared pages are not formed",
               "page " + std::to_string(page) + " again");
      }
      taken[static_cast<size_t>(page)] = true;
    }
  }
}

void check_gradients(const Problem& p, const AttentionOptions& options, const FloatView& out,
                     const TensorView<const float, 3>& lse, const FloatView& dout, const AttentionGradients& gradients,
                     const std::optional<TensorView<const float, 3>>& dlse) {
  const std::array sizes{p.batch, p.heads, p.queries, p.value_size};
  check_view(kBackward, "out", out, sizes);
  check_view(kBackward, "lse", lse, std::span(sizes).first(3));
  check_view(kBackward, "dout", dout, sizes);
  if (dlse) check_view(kBackward, "dlse", *dlse, std::span(sizes).first(3));
  check_gradient("dq", gradients.dq, p.q);
  check_gradient("dk", gradients.dk, p.k);
  check_gradient("dv", gradients.dv, *p.v);
  if (gradients.dbias) {
    if (!options.bias) refuse(kBackward, "dbias", "none, since there is no bias", "a view");
    check_view(kBackward, "dbias", *gradients.dbias, options.bias->sizes);
  }
  if (gradients.dsinks) {
    if (!options.sinks) refuse(kBackward, "dsinks", "none, since there are no sinks", "a view");
    check_view(kBackward, "dsinks", *gradients.dsinks, options.sinks->sizes);
  }
  check_pages_apart(p);
}

}  // namespace

Problem check_backward(const FloatView& q, const FloatView& k, const FloatView& v, const AttentionOptions& options,
                       const FloatView& out, const TensorView<const float, 3>& lse, const FloatView& dout,
                       const AttentionGradients& gradients, const std::optional<TensorView<const float, 3>>& dlse) {
  const Problem problem = check_problem(kBackward, q, k, v, options);
  check_gradients(problem, options, out, lse, dout, gradients, dlse);
  return problem;
}

}  // namespace limelight::detail
