// Loading a decoder, and the checks before its passes.
#include "limelight/decoder.h"

#include "core/checks.h"
#include "core/error.h"
#include "kernels/kernels.h"
#include "model/decoder_pass.h"
#include "model/decoder_plan.h"
#include "model/decoder_weights.h"
#include "model/json_field.h"
#include "model/model_tensors.h"
#include "model/model_tokenizer.h"

namespace limelight {

namespace fs = std::filesystem;

struct Decoder::State {
  detail::DecoderPlan plan;
  std::optional<Tokenizer> tokenizer;
  fs::path tokenizer_path;
  detail::DecoderWeights weights;

  static std::unique_ptr<State> from_folder(const fs::path& folder, const Run& run) {
    detail::DecoderPlan plan = detail::read_decoder_plan(folder);
    std::optional<Tokenizer> tokenizer = detail::find_tokenizer(folder, plan.config.vocabulary);
    detail::ModelTensors tensors(folder);
    detail::DecoderWeights weights = detail::read_decoder_weights(tensors, plan, run);
    return std::make_unique<State>(
        State{std::move(plan), std::move(tokenizer), folder / "tokenizer.json", std::move(weights)});
  }

  static std::unique_ptr<State> from_gguf(const fs::path& path, const Run& run) {
    const GgufFile file = GgufFile::open(path);
    detail::DecoderPlan plan = detail::read_decoder_plan(file);
    std::optional<Tokenizer> tokenizer;
    if (file.find("tokenizer.ggml.model")) {
      tokenizer.emplace(file);
      detail::check_vocabulary(*tokenizer, plan.config.vocabulary, path);
    }
    detail::ModelTensors tensors(file);
    detail::DecoderWeights weights = detail::read_decoder_weights(tensors, plan, run);
    return std::make_unique<State>(State{std::move(plan), std::move(tokenizer), path, std::move(weights)});
  }

  void check(std::span<const int32_t> ids, const detail::KeyValueMemory& cache, const DecoderOptions& options) const;
  Tensor<float, 2> forward(std::span<const int32_t> ids, detail::KeyValueMemory& cache, int64_t rows,
                           const DecoderOptions& options) const;
};

Decoder::Decoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

Decoder Decoder::load(const fs::path& path, const Run& run) {
  return Decoder(GgufFile::recognises(path) ? State::from_gguf(path, run) : State::from_folder(path, run));
}

bool Decoder::recognises(const fs::path& path) {
  if (GgufFile::recognises(path))
    return detail::is_gguf_decoder(GgufFile::open(path)["general.architecture"].as_text());
  const auto file = detail::JsonFile::find(path / "config.json");
  const auto type = file ? file->root().find("model_type") : std::nullopt;
  return type && detail::is_decoder_type(type->as_string());
}

const DecoderConfig& Decoder::config() const {
  return state_->plan.config;
}
const std::vector<int32_t>& Decoder::end_ids() const {
  return state_->plan.end_ids;
}
std::optional<std::string> Decoder::chat_template() const {
  return state_->plan.chat_template;
}
const std::vector<std::string>& Decoder::unused_tensors() const {
  return state_->weights.unused;
}

const Tokenizer& Decoder::tokenizer() const {
  if (!state_->tokenizer) {
    detail::fail_format(state_->tokenizer_path.string() + ": has no tokenizer; without it only ids can be run");
  }
  return *state_->tokenizer;
}

void Decoder::State::check(std::span<const int32_t> ids, const detail::KeyValueMemory& cache,
                           const DecoderOptions& options) const {
  const DecoderConfig& config = plan.config;
  const auto tokens = static_cast<int64_t>(ids.size());
  const char* where = "decoder";
  if (cache.layers != config.layers || cache.groups != config.groups || cache.head_size != config.head_size) {
    detail::fail_argument("[decoder] cache: expected one made for " + config.name + ", found another model's");
  }
  if (tokens == 0) detail::fail_argument("[decoder] ids: expected at least 1 token, found 0");
  if (tokens > cache.capacity - cache.length) {
    detail::fail_argument("[decoder] ids: " + std::to_string(tokens) + " tokens on top of " +
                          std::to_string(cache.length) + ", the cache holds " + std::to_string(cache.capacity) +
                          " and the model takes " + std::to_string(config.positions));
  }
  for (int64_t t = 0; t < tokens; ++t) {
    detail::check_range(where, "ids[" + std::to_string(t) + "]", ids[static_cast<size_t>(t)], 0, config.vocabulary - 1);
  }
  if (options.layers != -1) detail::check_range(where, "layers", options.layers, 1, config.layers);
  const int64_t layers = options.layers == -1 ? config.layers : options.layers;
  if (cache.length > 0 && layers > cache.filled_layers) {
    detail::refuse(where, "layers", "at most " + std::to_string(cache.filled_layers) + ", as for the tokens before",
                   std::to_string(layers));
  }
  const Causal causal = options.causal.value_or(Causal::kBottomRight);
  if (causal == Causal::kTopLeft || (causal == Causal::kNone && cache.length > 0)) {
    detail::refuse(where, "causal", "bottom_right, or none with an empty cache",
                   causal == Causal::kTopLeft ? "top_left" : "none with " + std::to_string(cache.length) + " tokens");
  }
}

Tensor<float, 2> Decoder::State::forward(std::span<const int32_t> ids, detail::KeyValueMemory& cache, int64_t rows,
                                         const DecoderOptions& options) const {
  check(ids, cache, options);
  Tensor<float, 2> logits = detail::decoder_pass(plan, weights, cache, ids, rows, options);
  if (!detail::active_kernels().all_finite(logits.data(), logits.count())) {
    detail::fail_format("[decoder] " + plan.config.name + ": its weights give numbers that are not finite");
  }
  cache.filled_layers = options.layers == -1 ? plan.config.layers : options.layers;
  cache.length += static_cast<int64_t>(ids.size());
  return logits;
}

Tensor<float, 2> Decoder::forward(std::span<const int32_t> ids, DecoderCache& cache,
                                  const DecoderOptions& options) const {
  return state_->forward(ids, *cache.state_, static_cast<int64_t>(ids.size()), options);
}

Tensor<float, 2> Decoder::forward_last(std::span<const int32_t> ids, DecoderCache& cache,
                                       const DecoderOptions& options) const {
  return state_->forward(ids, *cache.state_, 1, options);
}

}  // namespace limelight
