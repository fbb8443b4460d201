// Embeddings, then layers of attention and a two-layer network, each normalised at its input and added to it
// (Radford et al. 2019, GPT-2; Touvron et al. 2023, Llama, arXiv 2302.13971).
#include "model/decoder_pass.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/parallel.h"
#include "core/steps.h"
#include "model/pass_rows.h"

namespace limelight::detail {
namespace {

constexpr const char* kWhere = "decoder";

TensorView<const int64_t, 1> list_of(const std::vector<int64_t>& numbers) {
  return {numbers.data(), {static_cast<int64_t>(numbers.size())}, {1}};
}

// Where the new tokens of each sequence stand in a pass, and its keys in the pages.
struct Places {
  explicit Places(std::span<const NewTokens> sequences) {
    size_t columns = 0;
    for (const NewTokens& s : sequences) {
      ids.insert(ids.end(), s.ids.begin(), s.ids.end());
      for (int64_t t = 0; t < s.count(); ++t) positions.push_back(s.cache.length + t);
      starts.push_back(starts.back() + s.count());
      lengths.push_back(s.cache.length + s.count());
      columns = std::max(columns, s.cache.table.size());
    }
    table = Tensor<int64_t, 2>({static_cast<int64_t>(sequences.size()), static_cast<int64_t>(columns)});
    for (int64_t s = 0; s < table.sizes()[0]; ++s) {
      std::ranges::copy(sequences[static_cast<size_t>(s)].cache.table, &table(s, 0));
    }
  }

  int64_t tokens() const { return starts.back(); }

  std::vector<int32_t> ids;
  std::vector<int64_t> positions;
  std::vector<int64_t> starts = {0};  // [S + 1]
  std::vector<int64_t> lengths;       // [S], with the new tokens
  Tensor<int64_t, 2> table;           // [S, columns]
};

// Memory of a pass over T tokens, allocated once, and its steps.
class Pass {
 public:
  Pass(const DecoderPlan& plan, const DecoderWeights& weights, std::span<const NewTokens> sequences, bool last,
       const DecoderOptions& options)
      : plan_(plan),
        config_(plan.config),
        weights_(weights),
        sequences_(sequences),
        options_(options),
        layers_(options.layers < 0 ? config_.layers : options.layers),
        places_(sequences),
        tokens_(places_.tokens()),
        rows_(last ? static_cast<int64_t>(sequences.size()) : tokens_),
        steps_(options.run, step_count()),
        hidden_({tokens_, config_.hidden}),
        normed_({tokens_, config_.hidden}),
        projected_({tokens_, (config_.heads + 2 * config_.groups) * config_.head_size}),
        mixed_({tokens_, config_.heads * config_.head_size}),
        inner_({std::min(tokens_, kFeedForwardRows), (plan.gated ? 2 : 1) * config_.intermediate}),
        lse_({1, config_.heads, options.observer ? tokens_ : 0}) {
    if (rotary()) tabulate_turns();
  }

  Tensor<float, 2> run() {
    const bool whole = layers_ == config_.layers;
    embed();
    for (int64_t layer = 0; layer < layers_; ++layer) {
      const DecoderWeights::Layer& weights = weights_.layers[static_cast<size_t>(layer)];
      attend(layer, weights);
      const bool last = whole && layer + 1 == layers_;
      if (last && rows_ < tokens_) keep_last_tokens();
      finish_layer(weights, last ? rows_ : tokens_);
    }
    Tensor<float, 2> logits({whole ? rows_ : 0, config_.vocabulary});
    if (!whole) return logits;
    const Rows asked = rows_of(hidden_, 0, rows_);
    norm(weights_.final_norm, asked, asked);
    multiply(weights_.output(), asked, nullptr, logits, steps_.next());
    return logits;
  }

 private:
  bool rotary() const { return !weights_.frequencies.empty(); }

  int64_t step_count() const {
    const int64_t feed_forward = 3 * feed_forward_blocks(tokens_), layer = 5 + (rotary() ? 1 : 0) + feed_forward;
    return 1 + layers_ * layer + (layers_ == config_.layers ? 2 + 3 * feed_forward_blocks(rows_) - feed_forward : 0);
  }

  void tabulate_turns() {
    const int64_t half = config_.head_size / 2;
    turns_ = {Tensor<float, 2>({tokens_, half}), Tensor<float, 2>({tokens_, half})};
    for (size_t s = 0; s < sequences_.size(); ++s) {
      const RopeTable turns = rope_table(weights_.frequencies, sequences_[s].cache.length, sequences_[s].count());
      std::copy_n(turns.cosines.data(), turns.cosines.count(), &turns_.cosines(places_.starts[s], 0));
      std::copy_n(turns.sines.data(), turns.sines.count(), &turns_.sines(places_.starts[s], 0));
    }
  }

  void embed() {
    for_each_row(tokens_, config_.hidden, steps_.next(), kWhere, [&](int64_t t) {
      weights_.pieces.read_row(places_.ids[static_cast<size_t>(t)], &hidden_(t, 0));
      if (!rotary()) weights_.positions.read_row(places_.positions[static_cast<size_t>(t)], &normed_(t, 0));
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
    const PageMemory& memory = *sequences_[0].cache.memory;
    const auto q = heads_of(columns_of(projected_, 0, queries), depth);
    auto k = memory.view(layer, 0), v = memory.view(layer, 1);
    write(columns_of(projected_, queries, keys), columns_of(projected_, queries + keys, keys), k, v);
    AttentionOptions options;
    options.causal = options_.causal.value_or(Causal::kBottomRight);
    const int64_t window = plan_.windows[static_cast<size_t>(layer)];
    if (window > 0 && options.causal != Causal::kNone) options.window.left = window - 1;
    if (memory.pages == 1) {
      k.sizes[2] = v.sizes[2] = places_.lengths[0];
    } else {
      options.cu_q = list_of(places_.starts);
      options.key_lengths = list_of(places_.lengths);
      options.block_table = places_.table;
    }
    options.run = steps_.next();
    std::optional<TensorView<float, 3>> lse;
    if (options_.observer) lse = lse_;
    attention(q, k, v, options, heads_of(mixed_, depth), lse);
    if (options_.observer) options_.observer({layer, q, k, v, lse_, options});
  }

  // Keys and values of the new tokens, behind those of each sequence.
  void write(Rows keys, Rows values, TensorView<float, 4> k, TensorView<float, 4> v) const {
    const int64_t depth = config_.head_size, columns = places_.table.sizes()[1];
    for (size_t s = 0; s < sequences_.size(); ++s) {
      const int64_t first = places_.starts[s], count = sequences_[s].count();
      int64_t length = sequences_[s].cache.length;
      const TensorView<const int64_t, 2> pages{&places_.table(s, 0), {1, columns}, {columns, 1}};
      append({k, v, {&length, {1}, {1}}, pages}, heads_of(rows_of(keys, first, count), depth),
             heads_of(rows_of(values, first, count), depth));
    }
  }

  // Behind the last layer's attention nothing is asked of other tokens: they come to the front.
  void keep_last_tokens() {
    for (int64_t s = 0; s < rows_; ++s) {
      const int64_t last = places_.starts[static_cast<size_t>(s) + 1] - 1;
      if (last == s) continue;
      std::copy_n(&hidden_(last, 0), hidden_.sizes()[1], &hidden_(s, 0));
      std::copy_n(&mixed_(last, 0), mixed_.sizes()[1], &mixed_(s, 0));
    }
  }

  // What follows attention, for the first `count` rows.
  void finish_layer(const DecoderWeights::Layer& weights, int64_t count) {
    const Rows hidden = rows_of(hidden_, 0, count), normed = rows_of(normed_, 0, count);
    weights.attention_output.apply(rows_of(mixed_, 0, count), normed, steps_.next());
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
  const std::span<const NewTokens> sequences_;
  const DecoderOptions& options_;
  const int64_t layers_;
  const Places places_;
  const int64_t tokens_;  // T
  const int64_t rows_;    // whose logits are asked for
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

Tensor<float, 2> decoder_pass(const DecoderPlan& plan, const DecoderWeights& weights,
                              std::span<const NewTokens> sequences, bool last, const DecoderOptions& options) {
  return Pass(plan, weights, sequences, last, options).run();
}

}  // namespace limelight::detail
