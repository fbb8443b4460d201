// A row of tokens' weights becomes shares of words: summed over a key's tokens, the mean over the query's.
#include "spotlight_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/error.h"
#include "rounding.h"

namespace limelight::studio {
namespace {

// The first token has its word's percentage, or its part of it where the word has more tokens.
int64_t part_of(const Share& word, const Share& first) {
  const std::array<double, 2> parts = {first.weight, std::max(word.weight - first.weight, 0.0)};
  return largest_remainder(parts, word.permille).front();
}

void round_shares(SpotlightRow& row, std::optional<size_t> first_unit) {
  std::vector<double> weights;
  for (const Share& share : row.shares) weights.push_back(share.weight);
  weights.push_back(row.special.weight);
  const std::vector<int64_t> permille = largest_remainder(weights, 1000);
  for (size_t i = 0; i < row.shares.size(); ++i) row.shares[i].permille = permille[i];
  row.special.permille = permille.back();
  if (first_unit) row.first.permille = part_of(row.shares[*first_unit], row.first);
}

// Tokens merged to the shares of units. Where the first token is left out, what is left is made to add to 1.
class Merge {
 public:
  Merge(const QueryLight& query, bool without_first) : query_(query), without_first_(without_first) {
    first_ = link(query, kFirst);
    if (!without_first) return;
    // Not 1 less the first: where that is nearly all, the difference would be rounding.
    const double others = std::accumulate(query.weights.begin() + 1, query.weights.end(), 0.0);
    scale_ = others > 0 ? 1 / others : 0;
  }

  Share first() const { return {.weight = first_, .blocked = blocked(query_, kFirst)}; }

  Share share(std::vector<int64_t> tokens) const {
    const bool hidden = blocked(query_, tokens);
    const bool led = without_first_ && std::erase(tokens, 0) > 0;
    return {.weight = scale_ * link(query_, tokens), .blocked = hidden, .left_out = led && tokens.empty() && !hidden};
  }

 private:
  static constexpr std::array<int64_t, 1> kFirst = {0};

  const QueryLight& query_;
  const bool without_first_;
  double first_ = 0, scale_ = 1;
};

}  // namespace

std::optional<size_t> unit_of_first_token(const std::vector<Unit>& units) {
  const auto first = std::find_if(units.begin(), units.end(),
                                  [](const Unit& unit) { return !unit.tokens.empty() && unit.tokens.front() == 0; });
  return first == units.end() ? std::nullopt : std::optional(static_cast<size_t>(first - units.begin()));
}

SpotlightRow merge_row(const HeadLight& light, const QueryLight& query, const std::vector<Unit>& units,
                       const std::vector<int64_t>& special, bool without_first) {
  SpotlightRow row{.index = query.unit};
  const Merge merge(query, without_first);
  double total = 0;
  for (const Unit& unit : units) {
    row.shares.push_back(merge.share(unit.tokens));
    total += row.shares.back().weight;
  }
  row.special = merge.share(special);
  row.first = merge.first();
  if (!std::isfinite(total + row.special.weight + row.first.weight)) {
    detail::fail_format(fmt::format("{}: the weights are not numbers; the model's file holds NaN or infinity",
                                    head_name(light.layer, light.head)));
  }
  round_shares(row, unit_of_first_token(units));
  row.entropy = query.entropy;
  row.lse = query.lse;
  return row;
}

SpotlightRow together(const std::vector<SpotlightRow>& rows, std::optional<size_t> first_unit) {
  SpotlightRow all = rows.front();
  all.word.clear();
  all.own.clear();
  all.lse.reset();
  all.entropy = 0;
  const auto part = 1 / static_cast<double>(rows.size());
  const auto mean = [&](Share& share, auto share_of) {
    share = {.blocked = true, .left_out = false};
    for (const SpotlightRow& row : rows) {
      const Share& one = share_of(row);
      share.weight += part * one.weight;
      share.blocked = share.blocked && one.blocked;
      share.left_out = share.left_out || one.left_out;
    }
    share.left_out = share.left_out && !share.blocked;
  };
  for (size_t i = 0; i < all.shares.size(); ++i) {
    mean(all.shares[i], [i](const SpotlightRow& row) -> const Share& { return row.shares[i]; });
  }
  mean(all.special, [](const SpotlightRow& row) -> const Share& { return row.special; });
  mean(all.first, [](const SpotlightRow& row) -> const Share& { return row.first; });
  for (const SpotlightRow& row : rows) {
    all.word += (all.word.empty() ? "" : " + ") + row.word;
    all.indices.push_back(row.index);
    all.own.insert(all.own.end(), row.own.begin(), row.own.end());
    all.entropy += part * row.entropy;
  }
  std::sort(all.own.begin(), all.own.end());
  round_shares(all, first_unit);
  return all;
}

}  // namespace limelight::studio
