// A BERT encoder's forward pass: embeddings, then layers of attention and a two-layer network, each added to its input
// and normalised (Devlin et al. 2018, arXiv 1810.04805).
#include <algorithm>
#include <cmath>
#include <system_error>

#include "core/error.h"
#include "limelight/model.h"
#include "model/encoder_config.h"
#include "model/encoder_weights.h"

namespace limelight {
namespace {

using detail::EncoderWeights;
using Rows = TensorView<float, 2>;

// Progress over a whole pass out of the progress of its steps, all taken as equally long.
class Steps {
 public:
  Steps(const Run& run, int64_t count) : run_(run), count_(count) {}

  Run next() {
    Run step{run_.threads};
    if (run_.progress) {
      step.progress = [this, done = done_](double share) {
        return run_.progress((static_cast<double>(done) + share) / static_cast<double>(count_));
      };
    }
    ++done_;
    return step;
  }

 private:
  const Run& run_;
  int64_t count_, done_ = 0;
};

void add(TensorView<const float, 2> x, Rows y) {
  for (int64_t t = 0; t < y.sizes[0]; ++t) {
    const float* from = &x(t, 0);
    float* to = &y(t, 0);
    for (int64_t c = 0; c < y.sizes[1]; ++c) to[c] += from[c];
  }
}

// One forward pass over T tokens: its memory, allocated once, and its steps.
class Pass {
 public:
  Pass(const detail::EncoderPlan& plan, const EncoderWeights& weights, int64_t tokens, const EncoderOptions& options)
      : config_(plan.config),
        activation_(plan.activation),
        weights_(weights),
        options_(options),
        steps_(options.run, 8 * config_.layers + 1),
        hidden_({tokens, config_.hidden}),
        projected_({tokens, 3 * config_.hidden}),
        mixed_({tokens, config_.hidden}),
        added_({tokens, config_.hidden}),
        inner_({tokens, config_.intermediate}),
        lse_({1, config_.heads, tokens}) {}

  Tensor<float, 2> run(std::span<const int32_t> ids) {
    embed(ids);
    for (int64_t layer = 0; layer < config_.layers; ++layer) {
      const EncoderWeights::Layer& weights = weights_.layers[static_cast<size_t>(layer)];
      attend(layer, weights);
      weights.attention_output.forward(mixed_, added_, steps_.next());
      add_and_norm(weights.attention_norm);
      weights.intermediate.forward(hidden_, inner_, steps_.next());
      gelu(inner_, activation_, inner_, steps_.next());
      weights.output.forward(inner_, added_, steps_.next());
      add_and_norm(weights.output_norm);
    }
    return std::move(hidden_);
  }

 private:
  void embed(std::span<const int32_t> ids) {
    add_embedding(weights_.words, ids, hidden_);
    add(weights_.positions, hidden_);
    norm(weights_.embedding_norm);
  }

  void attend(int64_t layer, const EncoderWeights::Layer& weights) {
    weights.query_key_value.forward(hidden_, projected_, steps_.next());
    AttentionOptions options;
    options.causal = options_.causal.value_or(Causal::kNone);
    options.run = steps_.next();
    const int64_t channels = config_.hidden;
    const auto q = heads(projected_, 0), k = heads(projected_, channels), v = heads(projected_, 2 * channels);
    attention(q, k, v, options, heads(mixed_, 0), lse_);
    if (options_.observer) options_.observer({layer, q, k, lse_, options});
  }

  // Channels [first, first + C) of every row as [1, H, T, D], where they stand.
  TensorView<float, 4> heads(Rows rows, int64_t first) const {
    const int64_t depth = config_.hidden / config_.heads, tokens = rows.sizes[0], step = rows.strides[0];
    return {rows.data + first, {1, config_.heads, tokens, depth}, {tokens * step, depth, step, 1}};
  }

  void add_and_norm(const EncoderWeights::Norm& weights) {
    add(added_, hidden_);
    norm(weights);
  }

  void norm(const EncoderWeights::Norm& weights) {
    layer_norm(hidden_, weights.gamma, weights.beta, config_.layer_norm_epsilon, hidden_, steps_.next());
  }

  const EncoderConfig& config_;
  const Gelu activation_;
  const EncoderWeights& weights_;
  const EncoderOptions& options_;
  Steps steps_;
  Tensor<float, 2> hidden_;     // [T, C]
  Tensor<float, 2> projected_;  // [T, 3C]: q, k, v
  Tensor<float, 2> mixed_;      // [T, C], what attention gives
  Tensor<float, 2> added_;      // [T, C], what is added to hidden_
  Tensor<float, 2> inner_;      // [T, I]
  Tensor<float, 3> lse_;        // [1, H, T]
};

// Nothing where the folder has no tokenizer.json: ids can still be run.
std::optional<Tokenizer> load_tokenizer(const std::filesystem::path& folder, const EncoderConfig& config) {
  const auto path = folder / "tokenizer.json";
  std::error_code error;
  if (std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found) return std::nullopt;
  Tokenizer tokenizer = Tokenizer::load(path);
  if (tokenizer.vocabulary_size() > config.vocabulary) {
    detail::fail_format(path.string() + ": expected at most vocab_size " + std::to_string(config.vocabulary) +
                        " pieces, found " + std::to_string(tokenizer.vocabulary_size()));
  }
  return tokenizer;
}

}  // namespace

struct Encoder::State {
  explicit State(const std::filesystem::path& f)
      : folder(f),
        plan(detail::read_encoder_plan(folder)),
        tokenizer(load_tokenizer(folder, plan.config)),
        weights(detail::read_encoder_weights(SafetensorsFile::open(folder / "model.safetensors"), plan)) {}

  std::filesystem::path folder;
  detail::EncoderPlan plan;
  std::optional<Tokenizer> tokenizer;
  EncoderWeights weights;
};

Encoder::Encoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;
Encoder::~Encoder() = default;

Encoder Encoder::load(const std::filesystem::path& folder) {
  return Encoder(std::make_unique<State>(folder));
}

const EncoderConfig& Encoder::config() const {
  return state_->plan.config;
}
const std::vector<std::string>& Encoder::unused_tensors() const {
  return state_->weights.unused;
}

const Tokenizer& Encoder::tokenizer() const {
  if (!state_->tokenizer) {
    detail::fail_format((state_->folder / "tokenizer.json").string() + ": is missing; without it only ids can be run");
  }
  return *state_->tokenizer;
}

Tensor<float, 2> Encoder::forward(std::span<const int32_t> ids, const EncoderOptions& options) const {
  const auto tokens = static_cast<int64_t>(ids.size());
  if (tokens == 0) detail::fail_argument("[encoder] ids: expected at least 1 token, found 0");
  if (tokens > config().positions) {
    detail::fail_argument("[encoder] ids: text has " + std::to_string(tokens) + " tokens, the model takes " +
                          std::to_string(config().positions));
  }
  Tensor<float, 2> hidden = Pass(state_->plan, state_->weights, tokens, options).run(ids);
  if (!std::all_of(hidden.data(), hidden.data() + hidden.count(), [](float x) { return std::isfinite(x); })) {
    detail::fail_format("[encoder] " + config().name + ": its weights give numbers that are not finite");
  }
  return hidden;
}

Tensor<float, 1> Encoder::embed(std::span<const int32_t> ids, const EncoderOptions& options) const {
  const Tensor<float, 2> hidden = forward(ids, options);
  const auto [tokens, channels] = hidden.sizes();
  std::vector<double> mean(static_cast<size_t>(channels));
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t c = 0; c < channels; ++c) mean[static_cast<size_t>(c)] += hidden(t, c);
  }
  double squares = 0;
  for (double x : mean) squares += x * x;
  // The mean's divisor T falls out of the length; a zero vector has no direction and stays zero.
  const double scale = squares == 0 ? 0 : 1 / std::sqrt(squares);
  Tensor<float, 1> embedding({channels});
  for (int64_t c = 0; c < channels; ++c) embedding(c) = static_cast<float>(mean[static_cast<size_t>(c)] * scale);
  return embedding;
}

}  // namespace limelight
