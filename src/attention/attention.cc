// The public calls: check, then run.
#include "limelight/attention.h"

#include "attention/forward.h"
#include "attention/problem.h"

namespace limelight {

using detail::check_problem;
using detail::Problem;

void attention(FloatView q, FloatView k, FloatView v, const AttentionOptions& options, FloatOutput out,
               std::optional<TensorView<float, 3>> lse) {
  const Problem problem = check_problem("attention", q, k, v, options);
  detail::check_outputs("attention", problem, out, lse);
  detail::forward(problem, detail::active_kernels(), "attention", {.out = out, .lse = lse});
}

AttentionResult attention(FloatView q, FloatView k, FloatView v, const AttentionOptions& options) {
  const Problem p = check_problem("attention", q, k, v, options);
  AttentionResult result{Tensor<float, 4>({p.batch, p.heads, p.queries, p.value_size}),
                         Tensor<float, 3>({p.batch, p.heads, p.queries})};
  detail::forward(p, detail::active_kernels(), "attention", {.out = result.out, .lse = result.lse.view()});
  return result;
}

}  // namespace limelight
