// Loading an encoder, the checks before its passes, and one vector out of the hidden states of a text.
#include <cmath>

#include "core/checks.h"
#include "core/error.h"
#include "kernels/kernels.h"
#include "limelight/model.h"
#include "model/encoder_config.h"
#include "model/encoder_pass.h"
#include "model/encoder_weights.h"
#include "model/model_tokenizer.h"
#include "model/pooling.h"

namespace limelight {
namespace {

detail::EncoderWeights load_weights(const std::filesystem::path& folder, const detail::EncoderPlan& plan) {
  detail::ModelTensors tensors(folder);
  return detail::read_encoder_weights(tensors, plan);
}

// `text` names it where there are several.
void check_ids(const EncoderConfig& config, std::span<const int32_t> ids, const std::string& text) {
  const auto tokens = static_cast<int64_t>(ids.size());
  if (tokens == 0) detail::fail_argument("[encoder] " + text + "ids: expected at least 1 token, found 0");
  if (tokens > config.positions) {
    detail::fail_argument("[encoder] " + text + "ids: text has " + std::to_string(tokens) +
                          " tokens, the model takes " + std::to_string(config.positions));
  }
  for (size_t t = 0; t < ids.size(); ++t) {
    if (ids[t] >= 0 && ids[t] < config.vocabulary) continue;
    detail::check_range("encoder", text + "ids[" + std::to_string(t) + "]", ids[t], 0, config.vocabulary - 1);
  }
}

}  // namespace

void TokenBatch::add(std::span<const int32_t> text) {
  ids_.insert(ids_.end(), text.begin(), text.end());
  starts_.push_back(static_cast<int64_t>(ids_.size()));
}

struct Encoder::State {
  explicit State(const std::filesystem::path& f)
      : folder(f),
        plan(detail::read_encoder_plan(folder)),
        pooling(detail::read_pooling(folder)),
        tokenizer(detail::find_tokenizer(folder, plan.config.vocabulary)),
        weights(load_weights(folder, plan)) {}

  std::filesystem::path folder;
  detail::EncoderPlan plan;
  detail::Pooling pooling;
  std::optional<Tokenizer> tokenizer;
  detail::EncoderWeights weights;
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

Tensor<float, 2> Encoder::forward(const TokenBatch& batch, const EncoderOptions& options) const {
  const auto starts = batch.starts();
  for (int64_t s = 0; s < batch.texts(); ++s) {
    check_ids(config(), batch.text(s), batch.texts() == 1 ? "" : "text " + std::to_string(s) + " ");
  }
  if (batch.texts() == 0) return Tensor<float, 2>({0, config().hidden});
  Tensor<float, 2> hidden = detail::encoder_pass(state_->plan, state_->weights, batch.ids(), starts, options);
  if (!detail::active_kernels().all_finite(hidden.data(), hidden.count())) {
    detail::fail_format("[encoder] " + config().name + ": its weights give numbers that are not finite");
  }
  return hidden;
}

Tensor<float, 2> Encoder::embed(const TokenBatch& batch, const EncoderOptions& options) const {
  const Tensor<float, 2> hidden = forward(batch, options);
  const int64_t channels = config().hidden;
  Tensor<float, 2> embeddings({batch.texts(), channels});
  for (int64_t s = 0; s < batch.texts(); ++s) {
    const int64_t first = batch.starts()[static_cast<size_t>(s)];
    const auto tokens = static_cast<int64_t>(batch.text(s).size());
    const TensorView<const float, 2> rows{hidden.data() + first * channels, {tokens, channels}, {channels, 1}};
    detail::write_pooled(state_->pooling, rows, &embeddings(s, 0));
  }
  return embeddings;
}

Tensor<float, 2> Encoder::forward(std::span<const int32_t> ids, const EncoderOptions& options) const {
  return forward(TokenBatch(ids), options);
}

Tensor<float, 1> Encoder::embed(std::span<const int32_t> ids, const EncoderOptions& options) const {
  Tensor<float, 1> embedding({config().hidden});
  detail::write_pooled(state_->pooling, forward(ids, options), embedding.data());
  return embedding;
}

}  // namespace limelight
