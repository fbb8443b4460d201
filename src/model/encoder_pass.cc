// Embeddings, then layers of attention and a two-layer network, each added to its input and normalised
// (Devlin et al. 2018, BERT, arXiv 1810.04805).
#include "model/encoder_pass.h"

#include <algorithm>
#include <vector>

#include "core/steps.h"
#include "model/pass_rows.h"

namespace limelight::detail {
namespace {

constexpr const char* kWhere = "encoder";

// RoBERTa counts from behind the place of its padding token, which stays there wherever it comes.
std::vector<int32_t> positions_of(const EncoderPlan& plan, std::span<const int32_t> ids,
                                  std::span<const int64_t> starts) {
  std::vector<int32_t> positions;
  positions.reserve(ids.size());
  for (size_t s = 0; s + 1 < starts.size(); ++s) {
    auto next = static_cast<int32_t>(plan.first_position());
    for (int64_t t = starts[s]; t < starts[s + 1]; ++t) {
      const bool padding = plan.padding_id == ids[static_cast<size_t>(t)];
      positions.push_back(padding ? *plan.padding_id : next++);
    }
  }
  return positions;
}

// Memory of a pass over T tokens, allocated once, and its steps.
class Pass {
 public:
  Pass(const EncoderPlan& plan, const EncoderWeights& weights, int64_t tokens, std::span<const int64_t> starts,
       const EncoderOptions& options)
      : plan_(plan),
        config_(plan.config),
        weights_(weights),
        starts_(starts),
        options_(options),
        steps_(options.run, 1 + config_.layers * (5 + 3 * feed_forward_blocks(tokens))),
        hidden_({tokens, config_.hidden}),
        projected_({tokens, 3 * config_.hidden}),
        mixed_({tokens, config_.hidden}),
        added_({tokens, config_.hidden}),
        inner_({std::min(tokens, kFeedForwardRows), config_.intermediate}),
        lse_({1, config_.heads, tokens}) {}

  Tensor<float, 2> run(std::span<const int32_t> ids) {
    embed(ids);
    for (int64_t layer = 0; layer < config_.layers; ++layer) {
      const EncoderWeights::Layer& weights = weights_.layers[static_cast<size_t>(layer)];
      attend(layer, weights);
      weights.attention_output.forward(mixed_, added_, steps_.next());
      add_and_norm(weights.attention_norm);
      feed_forward(weights);
      add_and_norm(weights.feed_forward_norm);
    }
    return std::move(hidden_);
  }

 private:
  void embed(std::span<const int32_t> ids) {
    add_embedding(weights_.words, ids, hidden_);
    add_embedding(weights_.positions, positions_of(plan_, ids, starts_), hidden_);
    norm(weights_.embedding_norm);
  }

  void attend(int64_t layer, const EncoderWeights::Layer& weights) {
    weights.query_key_value.forward(hidden_, projected_, steps_.next());
    AttentionOptions options;
    options.causal = options_.causal.value_or(Causal::kNone);
    if (starts_.size() > 2) {
      options.cu_q = options.cu_k = {starts_.data(), {static_cast<int64_t>(starts_.size())}, {1}};
    }
    options.run = steps_.next();
    const int64_t channels = config_.hidden, depth = channels / config_.heads;
    const auto heads = [&](int64_t part) { return heads_of(columns_of(projected_, part * channels, channels), depth); };
    const auto q = heads(0), k = heads(1), v = heads(2);
    attention(q, k, v, options, heads_of(mixed_, depth), lse_);
    if (options_.observer) options_.observer({layer, q, k, v, lse_, options});
  }

  void feed_forward(const EncoderWeights::Layer& weights) {
    const int64_t tokens = hidden_.sizes()[0];
    for (int64_t begin = 0; begin < tokens; begin += kFeedForwardRows) {
      const int64_t rows = std::min(kFeedForwardRows, tokens - begin);
      const Rows inner = rows_of(inner_, 0, rows);
      weights.up.forward(rows_of(hidden_, begin, rows), inner, steps_.next());
      gelu(inner, plan_.activation, inner, steps_.next());
      weights.down.forward(inner, rows_of(added_, begin, rows), steps_.next());
    }
  }

  void add_and_norm(const EncoderWeights::Norm& weights) {
    add_rows(kWhere, added_, hidden_, {options_.run.threads});
    norm(weights);
  }

  void norm(const EncoderWeights::Norm& weights) {
    layer_norm(hidden_, weights.gamma, weights.beta, config_.layer_norm_epsilon, hidden_, steps_.next());
  }

  const EncoderPlan& plan_;
  const EncoderConfig& config_;
  const EncoderWeights& weights_;
  const std::span<const int64_t> starts_;
  const EncoderOptions& options_;
  Steps steps_;
  Tensor<float, 2> hidden_;     // [T, C]
  Tensor<float, 2> projected_;  // [T, 3C]: q, k, v
  Tensor<float, 2> mixed_;      // [T, C], what attention gives
  Tensor<float, 2> added_;      // [T, C], what is added to hidden_
  Tensor<float, 2> inner_;      // [up to 512, I]
  Tensor<float, 3> lse_;        // [1, H, T]
};

}  // namespace

Tensor<float, 2> encoder_pass(const EncoderPlan& plan, const EncoderWeights& weights, std::span<const int32_t> ids,
                              std::span<const int64_t> starts, const EncoderOptions& options) {
  return Pass(plan, weights, static_cast<int64_t>(ids.size()), starts, options).run(ids);
}

}  // namespace limelight::detail
