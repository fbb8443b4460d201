// Finds each tensor under the names that published checkpoints use, and checks it whole before it is packed.
#include "model/encoder_weights.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/error.h"
#include "kernels/kernels.h"
#include "model/safetensors_header.h"

namespace limelight::detail {
namespace {

class TensorSource {
 public:
  explicit TensorSource(const SafetensorsFile& file)
      : file_(file), prefix_(file.find("bert.embeddings.word_embeddings.weight") != nullptr ? "bert." : "") {}

  // The first of these names that is there, with every value finite.
  template <int Rank>
  Tensor<float, Rank> read(const std::vector<std::string>& names, const std::array<int64_t, Rank>& sizes) {
    const TensorInfo& info = find(names);
    Tensor<float, Rank> tensor = read_tensor<float, Rank>(file_, info);
    if (tensor.sizes() != sizes) {
      fail(info.name,
           " shape: expected " + shape_text(sizes.data(), Rank) + " by config.json, found " + info.shape_text());
    }
    const float* values = tensor.data();
    if (!active_kernels().all_finite(values, tensor.count())) {
      const float* bad = std::find_if_not(values, values + tensor.count(), [](float x) { return std::isfinite(x); });
      fail(info.name,
           ": expected finite values, found " + std::to_string(*bad) + " at " + std::to_string(bad - values));
    }
    used_.insert(info.name);
    return tensor;
  }

  std::vector<std::string> unused() const {
    std::vector<std::string> names;
    for (const TensorInfo& info : file_.tensors()) {
      if (!used_.contains(info.name)) names.push_back(info.name);
    }
    return names;
  }

 private:
  const TensorInfo& find(const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
      if (const TensorInfo* info = file_.find(prefix_ + name)) return *info;
    }
    fail(prefix_ + names.front(), ": is missing");
  }

  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    fail_format(file_.path().string() + ": tensor " + in_quotes(name) + what);
  }

  const SafetensorsFile& file_;
  std::string prefix_;
  std::unordered_set<std::string> used_;
};

EncoderWeights::Norm read_norm(TensorSource& source, const std::string& name, int64_t channels) {
  return {source.read<1>({name + ".weight", name + ".gamma"}, {channels}),
          source.read<1>({name + ".bias", name + ".beta"}, {channels})};
}

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

// Several linear layers of the same input as one, their outputs side by side. Memory is taken only for what was found.
Linear read_linear(TensorSource& source, const std::vector<std::string>& names, int64_t in, int64_t out) {
  std::vector<Tensor<float, 2>> weights;
  std::vector<Tensor<float, 1>> biases;
  for (const std::string& name : names) {
    weights.push_back(source.read<2>({name + ".weight"}, {out, in}));
    biases.push_back(source.read<1>({name + ".bias"}, {out}));
  }
  return Linear(stacked(std::move(weights)), stacked(std::move(biases)));
}

EncoderWeights::Layer read_layer(TensorSource& source, int64_t index, const EncoderConfig& config) {
  const std::string name = "encoder.layer." + std::to_string(index) + ".";
  const std::string self = name + "attention.self.";
  const int64_t channels = config.hidden;
  EncoderWeights::Layer layer;
  layer.query_key_value = read_linear(source, {self + "query", self + "key", self + "value"}, channels, channels);
  layer.attention_output = read_linear(source, {name + "attention.output.dense"}, channels, channels);
  layer.attention_norm = read_norm(source, name + "attention.output.LayerNorm", channels);
  layer.intermediate = read_linear(source, {name + "intermediate.dense"}, channels, config.intermediate);
  layer.output = read_linear(source, {name + "output.dense"}, config.intermediate, channels);
  layer.output_norm = read_norm(source, name + "output.LayerNorm", channels);
  return layer;
}

}  // namespace

EncoderWeights read_encoder_weights(const SafetensorsFile& file, const EncoderPlan& plan) {
  const EncoderConfig& config = plan.config;
  const int64_t channels = config.hidden;
  TensorSource source(file);
  EncoderWeights weights;
  weights.words = source.read<2>({"embeddings.word_embeddings.weight"}, {config.vocabulary, channels});
  weights.positions = source.read<2>({"embeddings.position_embeddings.weight"}, {config.positions, channels});
  const auto types = source.read<2>({"embeddings.token_type_embeddings.weight"}, {plan.token_types, channels});
  for (int64_t p = 0; p < config.positions; ++p) {
    for (int64_t c = 0; c < channels; ++c) weights.positions(p, c) += types(0, c);
  }
  weights.embedding_norm = read_norm(source, "embeddings.LayerNorm", channels);
  for (int64_t index = 0; index < config.layers; ++index) {
    weights.layers.push_back(read_layer(source, index, config));
  }
  weights.unused = source.unused();
  return weights;
}

}  // namespace limelight::detail
