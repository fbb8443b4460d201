// The attention of a model's own run, as rows of token weights: what a spotlight and a ranking of heads are made from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "limelight/lens.h"
#include "reader.h"

namespace limelight::studio {

// The mask the whole model runs under: its own, or one put in its place.
enum class Mask { kModel, kCausal, kNone };

// None where the model's own mask is meant.
std::optional<Causal> causal_of(Mask mask);

struct LayerLight {
  int64_t layer = 0;
  LensResult lens;       // rows and rows_blocked, [1,H,R,T]
  Tensor<float, 2> lse;  // [H,R]

  int64_t heads() const { return lens.rows.sizes()[1]; }
};

struct Light {
  Causal mask = Causal::kNone;  // as run
  std::vector<LayerLight> layers;
};

struct WatchOptions {
  Mask mask = Mask::kModel;
  std::optional<int64_t> layer = std::nullopt;  // this one only
  double temperature = 1;                       // of the softmax that is looked at; the model runs at 1
  Run run;
};

// The same scores, divided by `temperature`.
AttentionOptions tempered(const AttentionOptions& options, int64_t head_size, double temperature);

// Runs the model once over `ids` and keeps, of every layer watched and each of its heads, the rows of the tokens
// `queries`: R x T floats a head. Layers behind the one watched are not run where the model can stop there.
Light watch(const Reader& model, std::span<const int32_t> ids, std::span<const int64_t> queries,
            const WatchOptions& options);

// The weight between words: summed over the key's tokens, the mean over the query's rows (indices into the rows
// watched).
double link(const LayerLight& light, int64_t head, std::span<const int64_t> rows, std::span<const int64_t> keys);

// Whether no row of the query may see any of the key's tokens.
bool blocked(const LayerLight& light, int64_t head, std::span<const int64_t> rows, std::span<const int64_t> keys);

}  // namespace limelight::studio
