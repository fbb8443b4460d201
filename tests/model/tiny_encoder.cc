// Random weights, and the formulas of BERT in double.
#include "tests/model/tiny_encoder.h"

#include <cmath>
#include <random>

#include "limelight/error.h"
#include "limelight/safetensors.h"
#include "tests/model/thrown.h"

namespace limelight::testing {
namespace {

constexpr int64_t kVocabulary = 50, kChannels = 24, kHeads = 3, kInner = 40, kLayers = 2, kPositions = 22;

using Matrix = std::vector<double>;

// Of a layer: query, key, value, attention output, inner, outer; the norms of attention and network.
std::vector<std::string> layer_names(const std::string& architecture, int64_t index) {
  const std::string n = std::to_string(index) + ".";
  if (architecture == "distilbert") {
    const std::string root = "transformer.layer." + n;
    return {root + "attention.q_lin", root + "attention.k_lin", root + "attention.v_lin", root + "attention.out_lin",
            root + "ffn.lin1",        root + "ffn.lin2",        root + "sa_layer_norm",   root + "output_layer_norm"};
  }
  const std::string root = "encoder.layer." + n, self = root + "attention.self.";
  return {self + "query",
          self + "key",
          self + "value",
          root + "attention.output.dense",
          root + "intermediate.dense",
          root + "output.dense",
          root + "attention.output.LayerNorm",
          root + "output.LayerNorm"};
}

nlohmann::json config_of(const std::string& architecture) {
  nlohmann::json config = {
      {"model_type", architecture}, {"vocab_size", kVocabulary}, {"max_position_embeddings", kPositions}};
  if (architecture == "distilbert") {
    config.update({{"dim", kChannels}, {"n_heads", kHeads}, {"hidden_dim", kInner}, {"n_layers", kLayers}});
    config.update({{"activation", "gelu"}, {"sinusoidal_pos_embds", false}, {"pad_token_id", 0}});
    return config;
  }
  config.update({{"hidden_size", kChannels}, {"num_attention_heads", kHeads}, {"intermediate_size", kInner}});
  config.update({{"num_hidden_layers", kLayers}, {"hidden_act", "gelu"}, {"layer_norm_eps", 1e-5}});
  config.update(
      {{"type_vocab_size", architecture == "bert" ? 2 : 1}, {"pad_token_id", architecture == "bert" ? 0 : 1}});
  return config;
}

// x [T, in] W^T + b.
Matrix linear(const Matrix& x, const TinyEncoder::Weights& weight, const TinyEncoder::Weights& bias) {
  const auto out = static_cast<size_t>(weight.shape[0]), in = static_cast<size_t>(weight.shape[1]);
  const size_t tokens = x.size() / in;
  Matrix y(tokens * out);
  for (size_t t = 0; t < tokens; ++t) {
    for (size_t n = 0; n < out; ++n) {
      double sum = static_cast<double>(bias.values[n]);
      for (size_t c = 0; c < in; ++c) sum += x[t * in + c] * static_cast<double>(weight.values[n * in + c]);
      y[t * out + n] = sum;
    }
  }
  return y;
}

void normalise(Matrix& x, const TinyEncoder::Weights& gamma, const TinyEncoder::Weights& beta, double epsilon) {
  const size_t channels = gamma.values.size();
  for (size_t first = 0; first < x.size(); first += channels) {
    double mean = 0, variance = 0;
    for (size_t c = 0; c < channels; ++c) mean += x[first + c] / static_cast<double>(channels);
    for (size_t c = 0; c < channels; ++c) variance += std::pow(x[first + c] - mean, 2) / static_cast<double>(channels);
    for (size_t c = 0; c < channels; ++c) {
      const double normal = (x[first + c] - mean) / std::sqrt(variance + epsilon);
      x[first + c] = normal * static_cast<double>(gamma.values[c]) + static_cast<double>(beta.values[c]);
    }
  }
}

// Softmax of scaled products, head by head.
Matrix attention_of(const Matrix& q, const Matrix& k, const Matrix& v) {
  constexpr size_t kDepth = kChannels / kHeads;
  const size_t tokens = q.size() / kChannels;
  Matrix mixed(q.size());
  for (size_t h = 0; h < kHeads; ++h) {
    for (size_t i = 0; i < tokens; ++i) {
      Matrix weights(tokens);
      double sum = 0;
      for (size_t j = 0; j < tokens; ++j) {
        double score = 0;
        for (size_t d = h * kDepth; d < (h + 1) * kDepth; ++d) score += q[i * kChannels + d] * k[j * kChannels + d];
        sum += weights[j] = std::exp(score / std::sqrt(static_cast<double>(kDepth)));
      }
      for (size_t j = 0; j < tokens; ++j) {
        for (size_t d = h * kDepth; d < (h + 1) * kDepth; ++d)
          mixed[i * kChannels + d] += weights[j] / sum * v[j * kChannels + d];
      }
    }
  }
  return mixed;
}

void add(const Matrix& x, Matrix& y) {
  for (size_t i = 0; i < y.size(); ++i) y[i] += x[i];
}

}  // namespace

TinyEncoder::TinyEncoder(const std::string& architecture)
    : config(config_of(architecture)), architecture_(architecture), root_(architecture + ".") {
  add("embeddings.word_embeddings.weight", {kVocabulary, kChannels});
  add("embeddings.position_embeddings.weight", {kPositions, kChannels});
  if (architecture != "distilbert") {
    add("embeddings.token_type_embeddings.weight", {config["type_vocab_size"].get<int64_t>(), kChannels});
  }
  for (const char* part : {"weight", "bias"}) add(std::string("embeddings.LayerNorm.") + part, {kChannels});
  for (int64_t index = 0; index < kLayers; ++index) add_layer(layer_names(architecture, index));
}

void TinyEncoder::add(const std::string& name, std::vector<int64_t> shape) {
  std::mt19937 random(static_cast<uint32_t>(tensors.size()));
  std::normal_distribution<float> normal(0, 0.3f);
  const bool scale = shape.size() == 1 && name.ends_with("weight");  // a norm's, around 1
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  Weights weights{std::move(shape), std::vector<float>(static_cast<size_t>(count))};
  for (float& value : weights.values) value = normal(random) + (scale ? 1.0f : 0.0f);
  tensors[root_ + name] = std::move(weights);
}

void TinyEncoder::add_layer(const std::vector<std::string>& names) {
  for (size_t n = 0; n < names.size(); ++n) {
    const int64_t out = n == 4 ? kInner : kChannels, in = n == 5 ? kInner : kChannels;
    add(names[n] + ".weight", n < 6 ? std::vector{out, in} : std::vector{out});
    add(names[n] + ".bias", {out});
  }
}

void TinyEncoder::write() const {
  write_text(path() / "config.json", config.dump());
  SafetensorsWriter writer;
  for (const auto& [name, weights] : tensors) writer.add(name, Dtype::kF32, weights.shape, weights.values.data());
  writer.write(path() / "model.safetensors");
}

Encoder TinyEncoder::load() const {
  write();
  return Encoder::load(path());
}

std::string TinyEncoder::error() const {
  const std::string message = thrown<FormatError>([&] { load(); });
  const std::string start = path().string() + "/";
  return message.starts_with(start) ? message.substr(start.size()) : message;
}

std::vector<double> TinyEncoder::hidden(const std::vector<int32_t>& ids, const std::vector<int64_t>& positions) const {
  const auto at = [&](const std::string& name) -> const Weights& { return tensors.at(root_ + name); };
  const auto row = [&](const std::string& name, int64_t n, size_t c) {
    return static_cast<double>(at(name).values[static_cast<size_t>(n * kChannels) + c]);
  };
  const double epsilon = config.value("layer_norm_eps", 1e-12);
  Matrix x;
  for (size_t t = 0; t < ids.size(); ++t) {
    for (size_t c = 0; c < kChannels; ++c) {
      x.push_back(row("embeddings.word_embeddings.weight", ids[t], c) +
                  row("embeddings.position_embeddings.weight", positions[t], c));
      if (architecture_ != "distilbert") x.back() += row("embeddings.token_type_embeddings.weight", 0, c);
    }
  }
  const auto norm = [&](const std::string& name) { normalise(x, at(name + ".weight"), at(name + ".bias"), epsilon); };
  const auto apply = [&](const std::string& name, const Matrix& from) {
    return linear(from, at(name + ".weight"), at(name + ".bias"));
  };
  norm("embeddings.LayerNorm");
  for (int64_t index = 0; index < kLayers; ++index) {
    const auto names = layer_names(architecture_, index);
    testing::add(apply(names[3], attention_of(apply(names[0], x), apply(names[1], x), apply(names[2], x))), x);
    norm(names[6]);
    Matrix inner = apply(names[4], x);
    for (double& value : inner) value *= 0.5 * (1 + std::erf(value / std::sqrt(2.0)));
    testing::add(apply(names[5], inner), x);
    norm(names[7]);
  }
  return x;
}

}  // namespace limelight::testing
