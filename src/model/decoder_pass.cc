// Embeddings, then layers of attention and a two-layer network, each normalised at its input and added to it
// (Radford et al. 2019, GPT-2; Touvron et al. 2023, Llama, arXiv 2302.13971).
#include "model/decoder_pass.h"

#include <algorithm>
#include <optional>

#include "core/parallel.h"
#include "core/steps.h"
#include "model/pass_rows.h"

namespace limelight::detail {
namespace {

constexpr const char* kWhere = "decoder";

// Memory of a pass over T tokens, allocated once, and its steps.
class Pass {
 public:
  Pass(const DecoderPlan& plan, const DecoderWeights& weights, const KeyValueMemory& cache, int64_t tokens,
       int64_t rows, const DecoderOptions& options)
      : plan_(plan),
        config_(plan.config),
        weights_(weights),
        cache_(cache),
        options_(options),
        layers_(options.layers < 0 ? config_.layers : options.layers),
        steps_(options.run, step_count(tokens, rows)),
        hidden_({tokens, config_.hidden}),
        normed_({tokens, config_.hidden}),
        projected_({tokens, (config_.heads + 2 * config_.groups) * config_.head_size}),
        mixed_({tokens, config_.heads * config_.head_size}),
        inner_({std::min(tokens, kFeedForwardRows), (plan.gated ? 2 : 1) * config_.intermediate}),
        lse_({1, config_.heads, options.observer ? tokens : 0}) {
    if (rotary()) turns_ = rope_table(weights.frequencies, cache.length, tokens);
  }

  Tensor<float, 2> run(std::span<const int32_t> ids, int64_t rows) {
    const auto tokens = static_cast<int64_t>(ids.size());
    const bool whole = layers_ == config_.layers;
    embed(ids);
    for (int64_t layer = 0; layer < layers_; ++layer) {
      const DecoderWeights::Layer& weights = weights_.layers[static_cast<size_t>(layer)];
      attend(layer, weights);
      // Behind the last layer's attention nothing is asked of other tokens.
      const int64_t first = whole && layer + 1 == layers_ ? tokens - rows : 0;
      finish_layer(weights, first, tokens - first);
    }
    Tensor<float, 2> logits({whole ? rows : 0, config_.vocabulary});
    if (!whole) return logits;
    const Rows last = rows_of(hidden_, tokens - rows, rows);
    norm(weights_.final_norm, last, last);
    multiply(weights_.output(), last, nullptr, logits, steps_.next());
    return logits;
  }

 private:
  bool rotary() const { return !weights_.frequencies.empty(); }

  int64_t step_count(int64_t tokens, int64_t rows) const {
    const int64_t feed_forward = 3 * feed_forward_blocks(tokens), layer = 5 + (rotary() ? 1 : 0) + feed_forward;
    return 1 + layers_ * layer + (layers_ == config_.layers ? 2 + 3 * feed_forward_blocks(rows) - feed_forward : 0);
  }

  void embed(std::span<const int32_t> ids) {
    for_each_row(hidden_.sizes()[0], config_.hidden, steps_.next(), kWhere, [&](int64_t t) {
      weights_.pieces.read_row(ids[static_cast<size_t>(t)], &hidden_(t, 0));
      if (!rotary()) weights_.positions.read_row(cache_.length + t, &normed_(t, 0));
    });
    if (!rotary()) add_rows(kWhere, normed_, hidden_, {options_.run.threads});
  }

  void norm(const DecoderWeights::Norm& weights, TensorView<const float, 2> x, Rows y) {
    if (plan_.gated) {
      rms_norm(x, weights.gamma, config_.norm_epsilon, y, steps_.next());
    } else {
      layer_norm(x, weights.gamma, weights.beta, config_.norm_epsilon, y, steps_.next());
    }
  }

  void attend(int64_t layer, const DecoderWeights::Layer& weights) {
    const int64_t depth = config_.head_size, queries = config_.heads * depth, keys = config_.groups * depth;
    norm(weights.attention_norm, hidden_, normed_);
    weights.query_key_value.apply(normed_, projected_, steps_.next());
    if (rotary()) {
      if (options_.projections) {
        options_.projections({layer, heads_of(columns_of(projected_, 0, queries), depth),
                              heads_of(columns_of(projected_, queries, keys), depth)});
      }
      const Rows turned = columns_of(projected_, 0, queries + keys);
      rope(turned, turns_, turned, steps_.next());
    }
    const auto q = heads_of(columns_of(projected_, 0, queries), depth);
    int64_t length = cache_.length;
    append({cache_.view(layer, 0, cache_.capacity), cache_.view(layer, 1, cache_.capacity), {&length, {1}, {1}}},
           heads_of(columns_of(projected_, queries, keys), depth),
           heads_of(columns_of(projected_, queries + keys, keys), depth));
    const auto k = cache_.view(layer, 0, length), v = cache_.view(layer, 1, length);
    AttentionOptions options;
    options.causal = options_.causal.value_or(Causal::kBottomRight);
    const int64_t window = plan_.windows[static_cast<size_t>(layer)];
    if (window > 0 && options.causal != Causal::kNone) options.window.left = window - 1;
    options.run = steps_.next();
    std::optional<TensorView<float, 3>> lse;
    if (options_.observer) lse = lse_;
    attention(q, k, v, options, heads_of(mixed_, depth), lse);
    if (options_.observer) options_.observer({layer, q, k, v, lse_, options});
  }

  // What follows attention, for rows [first, first + count).
  void finish_layer(const DecoderWeights::Layer& weights, int64_t first, int64_t count) {
    const Rows hidden = rows_of(hidden_, first, count), normed = rows_of(normed_, first, count);
    weights.attention_output.apply(rows_of(mixed_, first, count), normed, steps_.next());
    add_rows(kWhere, normed, hidden, {options_.run.threads});
    norm(weights.feed_forward_norm, hidden, normed);
    for (int64_t begin = 0; begin < count; begin += kFeedForwardRows) {
      const int64_t rows = std::min(kFeedForwardRows, count - begin);
      const Rows x = rows_of(normed, begin, rows), inner = rows_of(inner_, 0, rows);
      weights.up.apply(x, inner, steps_.next());
      const Rows gate = columns_of(inner, 0, config_.intermediate);
      if (plan_.gated) {
        swiglu(gate, columns_of(inner, config_.intermediate, config_.intermediate), gate, steps_.next());
      } else {
        gelu(gate, plan_.activation, gate, steps_.next());
      }
      weights.down.apply(gate, x, steps_.next());
    }
    add_rows(kWhere, normed, hidden, {options_.run.threads});
  }

  const DecoderPlan& plan_;
  const DecoderConfig& config_;
  const DecoderWeights& weights_;
  const KeyValueMemory& cache_;
  const DecoderOptions& options_;
  const int64_t layers_;
  Steps steps_;
  Tensor<float, 2> hidden_;     // [T, C]
  Tensor<float, 2> normed_;     // [T, C], also what is added next
  Tensor<float, 2> projected_;  // [T, (H + 2 G) D]: q, k, v
  Tensor<float, 2> mixed_;      // [T, H D], what attention gives
  Tensor<float, 2> inner_;      // [up to 512, 2 I]
  Tensor<float, 3> lse_;        // [1, H, T], for the observer
  RopeTable turns_;
};

}  // namespace

Tensor<float, 2> decoder_pass(const DecoderPlan& plan, const DecoderWeights& weights, const KeyValueMemory& cache,
                              std::span<const int32_t> ids, int64_t rows, const DecoderOptions& options) {
  return Pass(plan, weights, cache, static_cast<int64_t>(ids.size()), rows, options).run(ids, rows);
}

}  // namespace limelight::detail
