// Encoders of the BERT family: a Hugging Face folder in, hidden states out.
// Every layer's attention is open to an observer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limelight/attention.h"
#include "limelight/tokenizer.h"

namespace limelight {

struct EncoderConfig {
  std::string name;  // folder name
  int64_t layers = 0, heads = 0, hidden = 0, intermediate = 0, vocabulary = 0, positions = 0;
  float layer_norm_epsilon = 0;
};

// What attention of one layer was given: q, k [1,H,T,D], lse [1,H,T] and its options. Views live during the call only.
struct LayerAttention {
  int64_t layer = 0;
  TensorView<const float, 4> q, k;
  TensorView<const float, 3> lse;
  const AttentionOptions& options;
};
using AttentionObserver = std::function<void(const LayerAttention&)>;

struct EncoderOptions {
  std::optional<Causal> causal = std::nullopt;  // run under this mask, not the model's own (kNone for an encoder)
  AttentionObserver observer = nullptr;         // called for every layer, in order
  Run run = {};                                 // progress counts over the whole pass
};

// Immutable after load; forward() is safe from several threads at once.
class Encoder {
 public:
  // Reads config.json, tokenizer.json and model.safetensors. Names with and without "bert.", weight/bias or gamma/beta;
  // tensors it does not use are listed by unused_tensors(). Throws FileError or FormatError naming file and field.
  static Encoder load(const std::filesystem::path& folder);
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;
  ~Encoder();

  const EncoderConfig& config() const;
  const Tokenizer& tokenizer() const;  // throws FormatError when the folder has none
  const std::vector<std::string>& unused_tensors() const;

  // ids [T], 1 <= T <= positions -> hidden [T, C]. Takes T (6 C + I) floats, once. Throws std::invalid_argument for a
  // number of ids or an id that the model does not take.
  Tensor<float, 2> forward(std::span<const int32_t> ids, const EncoderOptions& options = {}) const;

  // Mean of the hidden states over all tokens, scaled to length 1: [C].
  Tensor<float, 1> embed(std::span<const int32_t> ids, const EncoderOptions& options = {}) const;

 private:
  struct State;
  explicit Encoder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace limelight
