// map: one head of a long text, pooled. Rows are looked at in turn, so nothing holds T x T.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base64.h"
#include "call.h"
#include "core/consecutive.h"
#include "core/error.h"
#include "live_pairs.h"

namespace limelight::studio {
namespace {

constexpr int64_t kPooledSide = 512;

MapRegion region_of(const Call& call, int64_t tokens) {
  MapRegion region{{0, tokens}, {0, tokens}};
  if (const auto asked = call.asked.find("region"); asked != call.asked.end()) {
    region.queries = {asked->at(0), asked->at(1)};
    region.keys = {asked->at(2), asked->at(3)};
    for (const detail::Interval& range : {region.queries, region.keys}) {
      if (range.begin < range.end && range.end <= tokens) continue;
      detail::fail_argument(fmt::format("region: expected first below end and at most {}, found {} to {}", tokens,
                                        range.begin, range.end));
    }
  }
  const int64_t side = call.asked.value("side", int64_t{128});
  region.rows = std::min(side, region.queries.end - region.queries.begin);
  region.columns = std::min(side, region.keys.end - region.keys.begin);
  if (side > kPooledSide && !region.pair_a_cell()) {
    detail::fail_argument(
        fmt::format("side: expected at most {} where a cell pools several pairs, found {}", kPooledSide, side));
  }
  return region;
}

// Rows of weights, a few at a time, pooled by cell and added up by key.
class Pool {
 public:
  Pool(const Scene& scene, const MapRegion& region)
      : layer_(*scene.layer),
        head_(scene.head.head),
        region_(region),
        pairs_(live_pairs(layer_.query(head_), layer_.key(head_), layer_.options, region)),
        sum_(region.pair_a_cell() ? 0 : pairs_.size()),
        most_(pairs_.size()),
        received_(static_cast<size_t>(layer_.tokens())) {}

  void add(int64_t begin, int64_t end) {
    LensRequest request;
    request.rows = detail::consecutive(begin, end);
    const LensResult lens = look(layer_.query(head_), layer_.key(head_), layer_.options, request);
    for (int64_t query = begin; query < end; ++query) add_row(query, &lens.rows(0, 0, query - begin, 0));
  }

  // The largest sum is no number where a weight is none.
  void check() const {
    const double total = std::accumulate(received_.begin(), received_.end(), 0.0);
    if (!std::isfinite(total))
      detail::fail_format("the weights are not numbers; the model's file holds NaN or infinity");
  }

  std::vector<float> mean() const {
    if (sum_.empty()) return most();
    return filled([&](size_t at, int32_t live) { return static_cast<float>(sum_[at] / static_cast<double>(live)); });
  }
  std::vector<float> most() const {
    return filled([&](size_t at, int32_t) { return most_[at]; });
  }
  const std::vector<double>& received() const { return received_; }

 private:
  void add_row(int64_t query, const float* weights) {
    auto at = static_cast<size_t>(region_.row_of(query) * region_.columns);
    for (int64_t column = 0, key = region_.keys.begin; column < region_.columns; ++column, ++at) {
      for (const int64_t end = region_.first_key(column + 1); key < end; ++key) {
        if (!sum_.empty()) sum_[at] += static_cast<double>(weights[key]);
        most_[at] = std::max(most_[at], weights[key]);
        received_[static_cast<size_t>(key)] += static_cast<double>(weights[key]);
      }
    }
  }

  template <class Value>
  std::vector<float> filled(const Value& value) const {
    std::vector<float> cells(pairs_.size(), kBlockedFloat);
    for (size_t at = 0; at < cells.size(); ++at) {
      if (pairs_[at] > 0) cells[at] = value(at, pairs_[at]);
    }
    return cells;
  }

  const KeptLayer& layer_;
  const int64_t head_;
  const MapRegion& region_;
  const std::vector<int32_t> pairs_;
  std::vector<double> sum_;  // empty where a cell is one pair
  std::vector<float> most_;
  std::vector<double> received_;  // [T]
};

void put_words(Json& json, const Reading& reading, const std::vector<double>& received) {
  const std::vector<int32_t> owners = token_words(reading);
  std::vector<float> by_word(reading.words.size());
  double special = 0;
  for (size_t t = 0; t < owners.size(); ++t) {
    if (owners[t] < 0) {
      special += received[t];
    } else {
      by_word[static_cast<size_t>(owners[t])] += static_cast<float>(received[t]);
    }
  }
  json["words"] = words_json(reading);
  json["gaps"] = gaps_before(reading.words);
  json["token_word"] = base64_of(owners);
  json["received"] = base64_of(by_word);
  json["special_received"] = special;
}

}  // namespace

Json map_call(const Call& call) {
  constexpr int64_t kRows = 64;
  const Scene scene = set_scene(call, Limits::kTokens);
  const int64_t tokens = scene.layer->tokens();
  const MapRegion region = region_of(call, tokens);
  Pool pool(scene, region);
  for (int64_t begin = region.queries.begin; begin < region.queries.end; begin += kRows) {
    if (!call.run.progress(1)) detail::fail_cancelled("[map] stopped");
    pool.add(begin, std::min(begin + kRows, region.queries.end));
  }
  pool.check();
  Json json = scene_json(scene);
  json["tokens"] = tokens;
  json["region"] = {region.queries.begin, region.queries.end, region.keys.begin, region.keys.end};
  json["rows"] = region.rows;
  json["columns"] = region.columns;
  json["mean"] = base64_of(pool.mean());
  if (!region.pair_a_cell()) json["max"] = base64_of(pool.most());
  if (!call.asked.contains("region")) put_words(json, scene.reading, pool.received());
  json["notes"] = scene.reading.notes;
  return json;
}

}  // namespace limelight::studio
