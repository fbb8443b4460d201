// Loading a decoder, and the checks before its passes.
#include "limelight/decoder.h"

#include <algorithm>

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

namespace {

constexpr const char* kWhere = "decoder";

// Gives back, in the end, the pages of tokens that have not been added.
struct PagesInUse {
  ~PagesInUse() {
    for (const detail::NewTokens& tokens : sequences) tokens.cache.trim();
  }
  std::span<const detail::NewTokens> sequences;
};

}  // namespace

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

  void check(const detail::NewTokens& tokens, const std::string& name, const DecoderOptions& options) const;
  void check(std::span<const detail::NewTokens> sequences, const DecoderOptions& options) const;
  Tensor<float, 2> forward(std::span<const DecoderInput> inputs, bool last, const DecoderOptions& options) const;
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

void Decoder::State::check(const detail::NewTokens& tokens, const std::string& name,
                           const DecoderOptions& options) const {
  const DecoderConfig& config = plan.config;
  const detail::CachedSequence& cache = tokens.cache;
  const detail::PageMemory& memory = *cache.memory;
  if (memory.layers != config.layers || memory.groups != config.groups || memory.head_size != config.head_size) {
    detail::refuse(kWhere, name + "cache", "one made for " + config.name, "another model's");
  }
  if (tokens.count() == 0) detail::refuse(kWhere, name + "ids", "at least 1 token", "0");
  if (tokens.count() > std::min(cache.capacity, config.positions) - cache.length) {
    detail::fail_argument("[decoder] " + name + "ids: " + std::to_string(tokens.count()) + " tokens on top of " +
                          std::to_string(cache.length) + ", the cache holds " + std::to_string(cache.capacity) +
                          " and the model takes " + std::to_string(config.positions));
  }
  for (size_t t = 0; t < tokens.ids.size(); ++t) {
    detail::check_range(kWhere, name + "ids[" + std::to_string(t) + "]", tokens.ids[t], 0, config.vocabulary - 1);
  }
  const int64_t layers = options.layers == -1 ? config.layers : options.layers;
  if (cache.length > 0 && layers > cache.filled_layers) {
    detail::refuse(kWhere, name + "layers",
                   "at most " + std::to_string(cache.filled_layers) + ", as for the tokens before",
                   std::to_string(layers));
  }
  const Causal causal = options.causal.value_or(Causal::kBottomRight);
  if (causal == Causal::kTopLeft || (causal == Causal::kNone && cache.length > 0)) {
    detail::refuse(kWhere, name + "causal", "bottom_right, or none with an empty cache",
                   causal == Causal::kTopLeft ? "top_left" : "none with " + std::to_string(cache.length) + " tokens");
  }
}

void Decoder::State::check(std::span<const detail::NewTokens> sequences, const DecoderOptions& options) const {
  if (options.layers != -1) detail::check_range(kWhere, "layers", options.layers, 1, plan.config.layers);
  for (size_t s = 0; s < sequences.size(); ++s) {
    const std::string name = sequences.size() == 1 ? "" : "sequence " + std::to_string(s) + " ";
    check(sequences[s], name, options);
    if (sequences[s].cache.memory != sequences[0].cache.memory) {
      detail::refuse(kWhere, name + "cache", "one of the same pages as sequence 0 has", "one of others");
    }
    for (size_t other = 0; other < s; ++other) {
      if (&sequences[s].cache != &sequences[other].cache) continue;
      detail::refuse(kWhere, name + "cache", "one of its own", "that of sequence " + std::to_string(other));
    }
  }
}

Tensor<float, 2> Decoder::State::forward(std::span<const DecoderInput> inputs, bool last,
                                         const DecoderOptions& options) const {
  std::vector<detail::NewTokens> sequences;
  for (const DecoderInput& input : inputs) sequences.push_back({input.ids, *input.cache.sequence_});
  check(sequences, options);
  if (sequences.empty()) return Tensor<float, 2>({0, plan.config.vocabulary});
  detail::take_pages(sequences);
  const PagesInUse pages{sequences};
  Tensor<float, 2> logits = detail::decoder_pass(plan, weights, sequences, last, options);
  if (!detail::active_kernels().all_finite(logits.data(), logits.count())) {
    detail::fail_format("[decoder] " + plan.config.name + ": its weights give numbers that are not finite");
  }
  for (const detail::NewTokens& tokens : sequences) {
    tokens.cache.filled_layers = options.layers == -1 ? plan.config.layers : options.layers;
    tokens.cache.length += tokens.count();
  }
  return logits;
}

Tensor<float, 2> Decoder::forward(std::span<const int32_t> ids, DecoderCache& cache,
                                  const DecoderOptions& options) const {
  const DecoderInput one{ids, cache};
  return state_->forward({&one, 1}, false, options);
}
Tensor<float, 2> Decoder::forward_last(std::span<const int32_t> ids, DecoderCache& cache,
                                       const DecoderOptions& options) const {
  const DecoderInput one{ids, cache};
  return state_->forward({&one, 1}, true, options);
}
Tensor<float, 2> Decoder::forward(std::span<const DecoderInput> sequences, const DecoderOptions& options) const {
  return state_->forward(sequences, false, options);
}
Tensor<float, 2> Decoder::forward_last(std::span<const DecoderInput> sequences, const DecoderOptions& options) const {
  return state_->forward(sequences, true, options);
}

}  // namespace limelight
