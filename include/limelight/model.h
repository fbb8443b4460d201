// Encoders (BERT, DistilBERT, RoBERTa): a Hugging Face folder in, hidden states out, of one text or of many at once.
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
  std::string name;          // folder name
  std::string architecture;  // "bert", "distilbert", "roberta"
  int64_t layers = 0, heads = 0, hidden = 0, intermediate = 0, vocabulary = 0;
  int64_t positions = 0;  // the longest text, in tokens
  float layer_norm_epsilon = 0;
};

// Texts of any lengths for one call, one behind the other: nothing is padded.
class TokenBatch {
 public:
  TokenBatch() = default;
  explicit TokenBatch(std::span<const int32_t> text) { add(text); }
  void add(std::span<const int32_t> text);

  int64_t texts() const { return static_cast<int64_t>(starts_.size()) - 1; }
  int64_t tokens() const { return static_cast<int64_t>(ids_.size()); }
  std::span<const int32_t> ids() const { return ids_; }
  // [texts + 1]: text s has the places from starts()[s] up to starts()[s + 1].
  std::span<const int64_t> starts() const { return starts_; }
  std::span<const int32_t> text(int64_t s) const {
    const auto first = static_cast<size_t>(starts_[static_cast<size_t>(s)]);
    return ids().subspan(first, static_cast<size_t>(starts_[static_cast<size_t>(s) + 1]) - first);
  }

 private:
  std::vector<int32_t> ids_;
  std::vector<int64_t> starts_ = {0};
};

// What attention of one layer was given: q, k, v [1,H,T,D], lse [1,H,T] and its options. Views live during the call
// only. Of a batch of several texts T counts the places of all, and options.cu_q and cu_k tell where each begins.
struct LayerAttention {
  int64_t layer = 0;
  TensorView<const float, 4> q, k, v;
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
  // Reads config.json, tokenizer.json and model.safetensors, or the files that model.safetensors.index.json lists.
  // Names with and without "bert." (or the like), weight/bias or gamma/beta; tensors it does not use are listed by
  // unused_tensors(). Weights are F32, F16 or BF16. Throws FileError or FormatError naming file and field; other
  // architectures are refused by name.
  static Encoder load(const std::filesystem::path& folder);
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;
  ~Encoder();

  const EncoderConfig& config() const;
  const Tokenizer& tokenizer() const;  // throws FormatError when the folder has none
  const std::vector<std::string>& unused_tensors() const;

  // ids [T], 1 <= T <= positions -> hidden [T, C]. Takes 6 T C floats, and I more for up to 512 of the rows. Throws
  // std::invalid_argument for a number of ids or an id that the model does not take.
  Tensor<float, 2> forward(std::span<const int32_t> ids, const EncoderOptions& options = {}) const;
  // The same of each text of a batch, by place in it: a row's bits are those of its text alone, the observer's too. T
  // is the sum over all texts. A batch may be empty, a text in it may not.
  Tensor<float, 2> forward(const TokenBatch& batch, const EncoderOptions& options = {}) const;

  // Mean of the hidden states over all tokens, or the first token's where the folder's 1_Pooling/config.json says so,
  // scaled to length 1: [C], of a batch [texts, C]. Throws FormatError where it says anything else.
  Tensor<float, 1> embed(std::span<const int32_t> ids, const EncoderOptions& options = {}) const;
  Tensor<float, 2> embed(const TokenBatch& batch, const EncoderOptions& options = {}) const;

 private:
  struct State;
  explicit Encoder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace limelight
