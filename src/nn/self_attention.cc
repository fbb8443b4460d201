// Multi-head self-attention: projections, one attention call on views of them, and the output projection.
#include <string>
#include <utility>
#include <vector>

#include "core/consecutive.h"
#include "core/error.h"
#include "limelight/lens.h"
#include "limelight/nn.h"
#include "nn/rows.h"

namespace limelight {
namespace {

void check(const SelfAttention::Weights& weights, int64_t heads) {
  const char* where = "self_attention";
  const std::array<int64_t, 2> shape = weights.query.sizes;
  detail::check_shape<2>(where, "query", weights.query, {-1, -1});
  detail::check_shape<2>(where, "key", weights.key, shape);
  detail::check_shape<2>(where, "value", weights.value, shape);
  if (weights.query_bias) detail::check_shape<1>(where, "query_bias", *weights.query_bias, {shape[0]});
  if (weights.key_bias) detail::check_shape<1>(where, "key_bias", *weights.key_bias, {shape[0]});
  if (weights.value_bias) detail::check_shape<1>(where, "value_bias", *weights.value_bias, {shape[0]});
  if (weights.output) detail::check_shape<2>(where, "output", *weights.output, {-1, shape[0]});
  if (weights.output_bias) {
    if (!weights.output) detail::fail_argument("[self_attention] output_bias: expected with output, found without");
    detail::check_shape<1>(where, "output_bias", *weights.output_bias, {weights.output->sizes[0]});
  }
  if (heads < 1 || shape[0] < 1 || shape[0] % heads != 0) {
    detail::fail_argument("[self_attention] heads: expected a divisor of the " + std::to_string(shape[0]) +
                          " channels, found " + std::to_string(heads));
  }
}

// [B, T, C] as heads [B, H, T, C / H], on the same memory.
template <class T>
TensorView<T, 4> heads_of(TensorView<T, 3> x, int64_t heads) {
  const int64_t depth = x.sizes[2] / heads;
  return {x.data, {x.sizes[0], heads, x.sizes[1], depth}, {x.strides[0], depth, x.strides[1], 1}};
}

// y[b] = layer(x[b]), in one call where the rows of all b lie evenly spaced.
void project(const Linear& layer, TensorView<const float, 3> x, TensorView<float, 3> y, const Run& run) {
  const auto [batch, tokens, channels] = x.sizes;
  const bool even = batch <= 1 || x.strides[0] == tokens * x.strides[1];
  const int64_t calls = even ? 1 : batch;
  const int64_t rows = even ? batch * tokens : tokens;
  for (int64_t b = 0; b < calls; ++b) {
    layer.forward({x.data + b * x.strides[0], {rows, channels}, {x.strides[1], x.strides[2]}},
                  {y.data + b * y.strides[0], {rows, y.sizes[2]}, {y.strides[1], y.strides[2]}}, run);
  }
}

}  // namespace

SelfAttention::SelfAttention(const Weights& weights, int64_t heads, Causal causal) : heads_(heads), causal_(causal) {
  check(weights, heads);
  query_ = Linear(weights.query, weights.query_bias);
  key_ = Linear(weights.key, weights.key_bias);
  value_ = Linear(weights.value, weights.value_bias);
  if (weights.output) output_.emplace(*weights.output, weights.output_bias);
}

SelfAttention::Result SelfAttention::forward(TensorView<const float, 3> x, bool want_weights, const Run& run) const {
  detail::check_rows<3>("self_attention", "x", x, {-1, -1, query_.in()});
  const std::array<int64_t, 3> shape{x.sizes[0], x.sizes[1], query_.out()};
  Tensor<float, 3> q(shape), k(shape), v(shape), blend(shape);
  project(query_, x, q, run);
  project(key_, x, k, run);
  project(value_, x, v, run);

  LensRequest request;
  if (want_weights) request.rows = detail::consecutive(0, x.sizes[1]);
  AttentionOptions options;
  options.causal = causal_;
  options.run = run;
  const auto split = [&](const Tensor<float, 3>& t) { return heads_of<const float>(t.view(), heads_); };
  LensResult look =
      attention_and_look(split(q), split(k), split(v), options, request, heads_of<float>(blend.view(), heads_));

  Result result;
  result.weights = std::move(look.rows);
  if (!output_) {
    result.output = std::move(blend);
    return result;
  }
  result.output = Tensor<float, 3>({shape[0], shape[1], output_->out()});
  project(*output_, blend, result.output, run);
  return result;
}

}  // namespace limelight
