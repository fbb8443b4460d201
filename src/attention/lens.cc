// The public calls of the lens: one forward pass, with what the request adds to it.
#include "attention/lens.h"

#include <limits>
#include <string>

#include "attention/forward.h"
#include "core/checks.h"
#include "core/steps.h"

namespace limelight {
namespace detail {
namespace {

constexpr int64_t kMostCells = 1 << 14;  // side of a heatmap

// Everything but the rows, from one forward pass and, for what is counted by key, one more pass of q k^T.
void run(Problem problem, const char* where, const LensRequest& request, ForwardResults results, LensResult& lens) {
  const Kernels& kernels = active_kernels();
  const int64_t b = problem.batch, h = problem.heads, m = problem.queries, n = problem.keys;
  const bool by_key = request.received || request.heatmap > 0;
  Tensor<float, 3> max, inverse_sum;
  if (by_key) {
    max = Tensor<float, 3>({b, h, m});
    inverse_sum = Tensor<float, 3>({b, h, m});
    results.max = max.data();
    results.inverse_sum = inverse_sum.data();
  }
  if (request.entropy) {
    lens.entropy = Tensor<float, 3>({b, h, m});
    results.entropy = lens.entropy.data();
  }
  if (request.top_k > 0) {
    lens.top_index = Tensor<int64_t, 4>({b, h, m, request.top_k});
    lens.top_weight = Tensor<float, 4>({b, h, m, request.top_k});
    results.top_k = request.top_k;
    results.top_index = lens.top_index.data();
    results.top_weight = lens.top_weight.data();
  }
  if (request.received) lens.received = Tensor<float, 3>({problem.key_entries(), h, n});
  if (request.heatmap > 0) {
    lens.heatmap_sum = Tensor<float, 4>({b, h, request.heatmap, request.heatmap});
    lens.heatmap_max = Tensor<float, 4>({b, h, request.heatmap, request.heatmap});
  }
  // Chosen rows are few; of the two passes over everything the second takes 0.55 of the first one's time.
  const Run whole = problem.run;
  const bool all_rows = results.out || results.lse || by_key || request.entropy || request.top_k > 0;
  const double after_rows = request.rows.empty() ? 0 : all_rows ? 0.01 : 1;
  problem.run = part_of(whole, 0, after_rows);
  look_at_rows(problem, kernels, where, request, lens);
  const double after_forward = by_key ? 0.65 : 1;
  problem.run = part_of(whole, after_rows, after_forward);
  if (all_rows && problem.sinks) {
    lens.sink_share = Tensor<float, 3>({b, h, m});
    results.sink_share = lens.sink_share.data();
  }
  if (all_rows) forward(problem, kernels, where, results);
  if (!by_key) return;
  problem.run = part_of(whole, after_forward, 1);
  look_at_columns(problem, kernels, where, request, max.data(), inverse_sum.data(), lens);
}

}  // namespace

LensRequest check_request(const char* where, const Problem& problem, const LensRequest& request) {
  LensRequest checked = request;
  for (size_t r = 0; r < checked.rows.size(); ++r) {
    const std::string field = "rows[" + std::to_string(r) + "]";
    if (problem.queries == 0) refuse(where, field, "none, since there are no queries", std::to_string(checked.rows[r]));
    check_range(where, field, checked.rows[r], -problem.queries, problem.queries - 1);
    if (checked.rows[r] < 0) checked.rows[r] += problem.queries;
  }
  check_range(where, "top_k", request.top_k, 0, std::numeric_limits<int32_t>::max());
  check_range(where, "heatmap", request.heatmap, 0, kMostCells);
  return checked;
}

}  // namespace detail

LensResult attention_and_look(FloatView q, FloatView k, FloatView v, const AttentionOptions& options,
                              const LensRequest& request, FloatOutput out, std::optional<TensorView<float, 3>> lse) {
  const char* where = "attention_and_look";
  const detail::Problem problem = detail::check_problem(where, q, k, v, options);
  detail::check_outputs(where, problem, out, lse);
  LensResult lens;
  detail::run(problem, where, detail::check_request(where, problem, request), {.out = out, .lse = lse}, lens);
  return lens;
}

LensResult look(FloatView q, FloatView k, const AttentionOptions& options, const LensRequest& request) {
  const detail::Problem problem = detail::check_problem("look", q, k, std::nullopt, options);
  LensResult lens;
  detail::run(problem, "look", detail::check_request("look", problem, request), {}, lens);
  return lens;
}

}  // namespace limelight
