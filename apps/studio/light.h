// The attention of a model's own run, a head at a time: what a spotlight and a ranking of heads are made from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "limelight/lens.h"
#include "reader.h"

namespace limelight::studio {

// The mask the whole model runs under: its own, or one put in its place.
enum class Mask { kModel, kCausal, kNone };

// Of "model", "causal" or "none".
Mask mask_of(std::string_view name);

// None where the model's own mask is meant.
std::optional<Causal> causal_of(Mask mask);

// One of `heads` heads, [1,1,T,D]. Keys and values may have fewer, one for each group of queries' heads.
TensorView<const float, 4> one_head(const TensorView<const float, 4>& all, int64_t head, int64_t heads);

// A unit that looks: its place among the words (or pieces), and its tokens, at least one.
struct Query {
  int64_t unit = 0;
  std::vector<int64_t> tokens{};
};

// Where a query looks in one head: the mean of its tokens' rows, so T numbers whatever the query's length.
struct QueryLight {
  int64_t unit = 0;
  std::vector<double> weights{};   // [T]
  std::vector<uint8_t> blocked{};  // [T]: none of its tokens may see the key
  double entropy = 0;              // the mean of its tokens' rows'
  std::optional<double> lse{};     // of a query of one token
};

constexpr int64_t kAllHeads = -1;  // of all layers up to one: rollout

struct HeadLight {
  int64_t layer = 0;
  int64_t head = 0;             // or kAllHeads
  Causal mask = Causal::kNone;  // as run
  std::vector<QueryLight> queries{};
};

// A query's light out of its tokens' rows, which are added one after the other; at the end their sums become means.
QueryLight unlit(const Query& query, size_t keys);
void fold(std::span<const float> weights, std::span<const uint8_t> blocked, QueryLight& query);
void finish(QueryLight& query, size_t tokens);

struct WatchOptions {
  Mask mask = Mask::kModel;
  std::optional<int64_t> layer = std::nullopt;  // this one only
  std::optional<int64_t> head = std::nullopt;   // this one of every layer watched
  double temperature = 1;                       // of the softmax that is looked at; the model runs at 1
  Run run;
};

// The same scores, divided by `temperature`.
AttentionOptions tempered(const AttentionOptions& options, int64_t head_size, double temperature);

// One head of one layer. Holds a float for each of some millions of pairs at most (one row, where that is more), and
// what it returns.
HeadLight look_at_head(const LayerAttention& seen, int64_t head, std::span<const Query> queries,
                       double temperature = 1);

// Runs the model once over `ids` and shows `take` every head watched, by layer, then head; nothing is kept of them.
// Layers behind the one watched are not run where the model can stop there.
void watch(const Reader& model, std::span<const int32_t> ids, std::span<const Query> queries,
           const WatchOptions& options, const std::function<void(HeadLight&&)>& take);

// The weight between words: summed over the key's tokens.
double link(const QueryLight& query, std::span<const int64_t> keys);

// Whether the query may see none of the key's tokens, of which there are some.
bool blocked(const QueryLight& query, std::span<const int64_t> keys);

}  // namespace limelight::studio
