// Finds each tensor under the names that published checkpoints use, and checks it whole before it is packed.
#include "model/encoder_weights.h"

#include <algorithm>
#include <utility>

namespace limelight::detail {
namespace {

// What the layers are called, and their parts; a weight and a bias each.
struct LayerNames {
  const char *layers, *query, *key, *value, *attention_output, *attention_norm, *up, *down, *feed_forward_norm;
};
constexpr LayerNames kBertNames = {"encoder.layer.",       "attention.self.query",   "attention.self.key",
                                   "attention.self.value", "attention.output.dense", "attention.output.LayerNorm",
                                   "intermediate.dense",   "output.dense",           "output.LayerNorm"};
constexpr LayerNames kDistilBertNames = {"transformer.layer.", "attention.q_lin",   "attention.k_lin",
                                         "attention.v_lin",    "attention.out_lin", "sa_layer_norm",
                                         "ffn.lin1",           "ffn.lin2",          "output_layer_norm"};

// Tensors of the same sizes one below the other.
template <int Rank>
Tensor<float, Rank> stacked(std::vector<Tensor<float, Rank>> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  auto sizes = parts.front().sizes();
  sizes[0] *= static_cast<int64_t>(parts.size());
  Tensor<float, Rank> whole(sizes);
  float* to = whole.data();
  for (const auto& part : parts) to = std::copy_n(part.data(), part.count(), to);
  return whole;
}

class Reader {
 public:
  Reader(ModelTensors& tensors, const EncoderPlan& plan) : tensors_(tensors), plan_(plan) {
    // A model without what it was trained to give is saved without the root of the names.
    const std::string root = plan.config.architecture + ".";
    if (tensors.has(root + "embeddings.word_embeddings.weight")) root_ = root;
  }

  EncoderWeights read() {
    const EncoderConfig& config = plan_.config;
    const LayerNames& names = config.architecture == "distilbert" ? kDistilBertNames : kBertNames;
    EncoderWeights weights;
    weights.words = table("word_embeddings", config.vocabulary);
    weights.positions = table("position_embeddings", config.positions + plan_.first_position());
    if (plan_.token_types > 0) add_first_type(weights.positions);
    weights.embedding_norm = norm("embeddings.LayerNorm");
    for (int64_t index = 0; index < config.layers; ++index) weights.layers.push_back(layer(names, index));
    weights.unused = tensors_.unused();
    return weights;
  }

 private:
  template <int Rank>
  Tensor<float, Rank> floats(const std::string& name, const std::array<int64_t, Rank>& sizes) {
    return tensors_.take_floats<Rank>(root_ + name, sizes, "config.json");
  }

  Tensor<float, 2> table(const std::string& name, int64_t rows) {
    return floats<2>("embeddings." + name + ".weight", {rows, plan_.config.hidden});
  }

  void add_first_type(Tensor<float, 2>& positions) {
    const Tensor<float, 2> types = table("token_type_embeddings", plan_.token_types);
    for (int64_t p = 0; p < positions.sizes()[0]; ++p) {
      for (int64_t c = 0; c < plan_.config.hidden; ++c) positions(p, c) += types(0, c);
    }
  }

  EncoderWeights::Norm norm(const std::string& name) {
    const bool greek = tensors_.has(root_ + name + ".gamma");
    return {floats<1>(name + (greek ? ".gamma" : ".weight"), {plan_.config.hidden}),
            floats<1>(name + (greek ? ".beta" : ".bias"), {plan_.config.hidden})};
  }

  // Several linear layers of the same input as one, their outputs side by side. Memory is taken only for what was
  // found.
  Linear linear(const std::vector<std::string>& names, int64_t in, int64_t out) {
    std::vector<Tensor<float, 2>> weights;
    std::vector<Tensor<float, 1>> biases;
    for (const std::string& name : names) {
      weights.push_back(floats<2>(name + ".weight", {out, in}));
      biases.push_back(floats<1>(name + ".bias", {out}));
    }
    return Linear(stacked(std::move(weights)), stacked(std::move(biases)));
  }

  EncoderWeights::Layer layer(const LayerNames& names, int64_t index) {
    const std::string root = names.layers + std::to_string(index) + ".";
    const int64_t channels = plan_.config.hidden, inner = plan_.config.intermediate;
    EncoderWeights::Layer layer;
    layer.query_key_value = linear({root + names.query, root + names.key, root + names.value}, channels, channels);
    layer.attention_output = linear({root + names.attention_output}, channels, channels);
    layer.attention_norm = norm(root + names.attention_norm);
    layer.up = linear({root + names.up}, channels, inner);
    layer.down = linear({root + names.down}, inner, channels);
    layer.feed_forward_norm = norm(root + names.feed_forward_norm);
    return layer;
  }

  ModelTensors& tensors_;
  const EncoderPlan& plan_;
  std::string root_;
};

}  // namespace

EncoderWeights read_encoder_weights(ModelTensors& tensors, const EncoderPlan& plan) {
  return Reader(tensors, plan).read();
}

}  // namespace limelight::detail
