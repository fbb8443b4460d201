// A model that remembers what its layers were given for the texts read last, so that another look costs no other run.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "kept_layer.h"

namespace limelight::studio {

// Gives its observers what the model under it would: the same bits, from memory where they are there. Holds at most
// `most_bytes`, the texts read longest ago going first. Safe from several threads at once.
class RememberingReader : public Reader {
 public:
  static constexpr int64_t kMostBytes = int64_t{192} << 20;

  // Takes `most_tokens` at most, whatever the model does.
  RememberingReader(std::unique_ptr<const Reader> model, int64_t most_tokens, int64_t most_bytes = kMostBytes);

  const Reader& model() const { return *model_; }
  const Tokenizer& tokenizer() const override { return model_->tokenizer(); }
  Tensor<float, 2> read(std::span<const int32_t> ids, const ReadOptions& options) const override;

  int64_t bytes() const;

 private:
  using Layers = std::vector<std::shared_ptr<const KeptLayer>>;  // by number; null where it is not known
  struct Text {
    std::vector<int32_t> ids;
    std::optional<Causal> causal;
    Layers layers;
  };

  using Texts = std::list<Text>;

  // For who holds the mutex.
  Texts::iterator find(std::span<const int32_t> ids, std::optional<Causal> causal) const;
  Layers recall(std::span<const int32_t> ids, const ReadOptions& options) const;
  void remember(std::span<const int32_t> ids, std::optional<Causal> causal, const Layers& layers) const;
  void forget_to_fit() const;

  const std::unique_ptr<const Reader> model_;
  const int64_t most_bytes_;
  mutable std::mutex mutex_;
  mutable Texts texts_;  // the one asked for last in front
};

}  // namespace limelight::studio
