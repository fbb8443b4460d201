// The layers of a text are kept under its ids and mask. Of a long text only the layer that is looked at is worth it.
#include "remembering_reader.h"

#include <algorithm>

#include "model/layer_copy.h"

namespace limelight::studio {
namespace {

ReaderFacts at_most(ReaderFacts facts, int64_t tokens) {
  facts.positions = std::min(facts.positions, tokens);
  return facts;
}

bool wanted(const ReadOptions& options, int64_t layer) {
  return layer < options.layers && (!options.only || *options.only == layer);
}

}  // namespace

RememberingReader::RememberingReader(std::unique_ptr<const Reader> model, int64_t most_tokens, int64_t most_bytes)
    : Reader(at_most(model->facts(), most_tokens)), model_(std::move(model)), most_bytes_(most_bytes) {}

Tensor<float, 2> RememberingReader::read(std::span<const int32_t> ids, const ReadOptions& options) const {
  if (options.layers < 0 || !options.observer || options.projections) return model_->read(ids, options);
  if (const Layers known = recall(ids, options); !known.empty()) {
    for (const auto& layer : known) {
      if (layer) options.observer({layer->layer, layer->q, layer->k, layer->v, layer->lse, layer->options});
    }
    return {};
  }
  Layers layers(static_cast<size_t>(facts().layers));
  int64_t bytes = 0;
  ReadOptions watched = options;
  watched.observer = [&](const LayerAttention& seen) {
    options.observer(seen);
    if (!wanted(options, seen.layer) || !detail::stands_alone(seen) || bytes > most_bytes_ / 2) return;
    auto& layer = layers[static_cast<size_t>(seen.layer)];
    layer = std::make_shared<const KeptLayer>(seen);
    bytes += layer->bytes();
  };
  Tensor<float, 2> output = model_->read(ids, watched);
  remember(ids, options.causal, layers);
  return output;
}

RememberingReader::Texts::iterator RememberingReader::find(std::span<const int32_t> ids,
                                                           std::optional<Causal> causal) const {
  return std::find_if(texts_.begin(), texts_.end(), [&](const Text& text) {
    return text.causal == causal && std::equal(text.ids.begin(), text.ids.end(), ids.begin(), ids.end());
  });
}

// Those wanted, where all of them are known; else none.
RememberingReader::Layers RememberingReader::recall(std::span<const int32_t> ids, const ReadOptions& options) const {
  const std::lock_guard lock(mutex_);
  const auto text = find(ids, options.causal);
  if (text == texts_.end()) return {};
  texts_.splice(texts_.begin(), texts_, text);
  Layers known(text->layers.size());
  for (size_t layer = 0; layer < known.size(); ++layer) {
    if (!wanted(options, static_cast<int64_t>(layer))) continue;
    if (!text->layers[layer]) return {};
    known[layer] = text->layers[layer];
  }
  return known;
}

void RememberingReader::remember(std::span<const int32_t> ids, std::optional<Causal> causal,
                                 const Layers& layers) const {
  const std::lock_guard lock(mutex_);
  const auto text = find(ids, causal);
  if (text == texts_.end()) {
    texts_.push_front({{ids.begin(), ids.end()}, causal, layers});
  } else {
    for (size_t layer = 0; layer < layers.size(); ++layer) {
      if (layers[layer]) text->layers[layer] = layers[layer];
    }
    texts_.splice(texts_.begin(), texts_, text);
  }
  forget_to_fit();
}

int64_t RememberingReader::bytes() const {
  const std::lock_guard lock(mutex_);
  int64_t bytes = 0;
  for (const Text& text : texts_) {
    for (const auto& layer : text.layers) bytes += layer ? layer->bytes() : 0;
  }
  return bytes;
}

void RememberingReader::forget_to_fit() const {
  constexpr size_t kMostTexts = 64;
  int64_t bytes = 0;
  size_t kept = 0;
  for (auto text = texts_.begin(); text != texts_.end();) {
    for (const auto& layer : text->layers) bytes += layer ? layer->bytes() : 0;
    text = bytes > most_bytes_ || ++kept > kMostTexts ? texts_.erase(text) : std::next(text);
  }
}

}  // namespace limelight::studio
