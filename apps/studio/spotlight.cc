// One run of the model, one head chosen, token rows merged to words: summed over a key's pieces, averaged over a
// query's.
#include "spotlight.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "rounding.h"

namespace limelight::studio {
namespace {

double row_entropy(const LayerLight& light, int64_t head, const std::vector<int64_t>& rows) {
  double sum = 0;
  const int64_t keys = light.lens.rows.sizes()[3];
  for (const int64_t row : rows) {
    for (int64_t key = 0; key < keys; ++key) {
      const double p = static_cast<double>(light.lens.rows(0, head, row, key));
      if (p > 0) sum -= p * std::log(p);
    }
  }
  return sum / static_cast<double>(rows.size());
}

void round_shares(SpotlightRow& row) {
  std::vector<double> weights;
  for (const Share& share : row.shares) weights.push_back(share.weight);
  weights.push_back(row.special.weight);
  const std::vector<int64_t> permille = largest_remainder(weights, 1000);
  for (size_t i = 0; i < row.shares.size(); ++i) row.shares[i].permille = permille[i];
  row.special.permille = permille.back();
}

SpotlightRow merge(const LayerLight& light, int64_t head, const Query& query, const std::vector<Unit>& units,
                   const std::vector<int64_t>& special) {
  SpotlightRow row{.index = query.unit};
  double total = 0;
  for (const Unit& unit : units) {
    row.shares.push_back({.weight = link(light, head, query.rows, unit.tokens),
                          .blocked = blocked(light, head, query.rows, unit.tokens)});
    total += row.shares.back().weight;
  }
  row.special = {.weight = link(light, head, query.rows, special),
                 .blocked = blocked(light, head, query.rows, special)};
  if (!std::isfinite(total + row.special.weight)) {
    detail::fail_format(fmt::format("{}: the weights are not numbers; the model's file holds NaN or infinity",
                                    head_name(light.layer, head)));
  }
  round_shares(row);
  row.entropy = row_entropy(light, head, query.rows);
  if (query.rows.size() == 1) row.lse = light.lse(head, query.rows[0]);
  return row;
}

// The tokens to watch, and for every query which of the watched rows are its own.
struct Watched {
  std::vector<int64_t> tokens;
  std::vector<Query> queries;

  void add(int64_t unit, const std::vector<int64_t>& unit_tokens) {
    if (unit_tokens.empty()) return;
    Query query{.unit = unit};
    for (const int64_t token : unit_tokens) {
      query.rows.push_back(static_cast<int64_t>(tokens.size()));
      tokens.push_back(token);
    }
    queries.push_back(std::move(query));
  }
};

std::vector<int64_t> gaps_before(const Reading& reading, const std::vector<Unit>& units) {
  std::vector<int64_t> gaps;
  int64_t end = 0;
  for (const Unit& unit : units) {
    const int64_t begin =
        unit.tokens.empty() ? end : reading.tokens[static_cast<size_t>(unit.tokens.front())].span.begin;
    gaps.push_back(begin > end ? 1 : 0);
    if (!unit.tokens.empty()) end = reading.tokens[static_cast<size_t>(unit.tokens.back())].span.end;
  }
  return gaps;
}

// A word to be found must not be hidden by the mask: then every head sends it nothing.
void check_seen(const LayerLight& light, const Query& query, const Reading& reading, int64_t wanted) {
  const Unit& word = reading.words[static_cast<size_t>(wanted)];
  if (!blocked(light, 0, query.rows, word.tokens)) return;
  detail::fail_argument(
      fmt::format("find: the mask blocks \"{}\" from \"{}\" in every head; it comes later, try --mask none", word.text,
                  reading.words[static_cast<size_t>(query.unit)].text));
}

// The units whose first token the word holds.
std::vector<size_t> units_of(const std::vector<Unit>& units, const Unit& word) {
  std::vector<size_t> own;
  for (size_t u = 0; u < units.size(); ++u) {
    const std::vector<int64_t>& tokens = units[u].tokens;
    if (tokens.empty() || std::find(word.tokens.begin(), word.tokens.end(), tokens.front()) == word.tokens.end())
      continue;
    own.push_back(u);
  }
  return own;
}

}  // namespace

std::string head_name(int64_t layer, int64_t head) {
  return fmt::format("L{}.H{}", layer, head);
}

std::string_view mask_name(Causal mask) {
  return mask == Causal::kNone ? "none" : "causal";
}

Spotlight spotlight(const Encoder& model, std::string_view text, const SpotlightOptions& options) {
  const EncoderConfig& config = model.config();
  HeadWish wish{.layer = options.layer, .head = options.head};
  check_range(config, wish);
  const Reading reading = read_text(model, text, options.too_long);
  if (!options.find.empty()) wish.find = find_word(reading, options.find);
  const std::vector<Unit>& units = options.pieces ? reading.pieces : reading.words;
  const bool grid = options.word.empty();

  Watched watched;
  if (grid) {
    for (size_t u = 0; u < units.size(); ++u) watched.add(static_cast<int64_t>(u), units[u].tokens);
  } else {
    const int64_t word = find_word(reading, options.word);
    watched.add(word, reading.words[static_cast<size_t>(word)].tokens);
  }

  const std::optional<HeadChoice> known = known_head(config, wish);
  const std::optional<int64_t> layer = known ? known->layer : wish.layer;
  const Light light =
      watch(model, reading.ids, watched.tokens, {.mask = options.mask, .layer = layer, .run = options.run});

  if (wish.find) check_seen(light.layers.front(), watched.queries.front(), reading, *wish.find);
  const std::vector<Unit>& lookers = grid ? units : reading.words;

  Spotlight result{
      .model = config.name, .mask = light.mask, .text = reading.text, .grid = grid, .notes = reading.notes};
  result.head = known ? *known : strongest_head(light, wish, watched.queries, lookers, reading);
  for (const Unit& unit : units) result.units.push_back(unit.text);
  result.gaps = gaps_before(reading, units);
  for (const int64_t token : reading.special) {
    result.special_pieces.push_back(reading.tokens[static_cast<size_t>(token)].piece);
  }
  const auto shown = std::find_if(light.layers.begin(), light.layers.end(),
                                  [&](const LayerLight& l) { return l.layer == result.head.layer; });
  for (const Query& query : watched.queries) {
    SpotlightRow row = merge(*shown, result.head.head, query, units, reading.special);
    row.word = lookers[static_cast<size_t>(query.unit)].text;
    row.own = units_of(units, lookers[static_cast<size_t>(query.unit)]);
    result.rows.push_back(std::move(row));
  }
  return result;
}

bool any_blocked(const Spotlight& light) {
  return std::any_of(light.rows.begin(), light.rows.end(), [](const SpotlightRow& row) {
    return std::any_of(row.shares.begin(), row.shares.end(), [](const Share& share) { return share.blocked; });
  });
}

std::vector<size_t> strongest_first(const SpotlightRow& row) {
  std::vector<size_t> order;
  for (size_t i = 0; i < row.shares.size(); ++i) {
    if (!row.shares[i].blocked) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return row.shares[a].weight > row.shares[b].weight; });
  return order;
}

std::string weighted_sum(const Spotlight& light, const SpotlightRow& row) {
  constexpr size_t kTerms = 3;
  constexpr double kSmallest = 0.02;
  const std::vector<size_t> order = strongest_first(row);
  std::vector<double> weights;
  std::vector<std::string> names;
  size_t next = 0;
  for (; next < order.size() && next < kTerms && (next == 0 || row.shares[order[next]].weight >= kSmallest); ++next) {
    weights.push_back(row.shares[order[next]].weight);
    names.push_back(light.units[order[next]]);
  }
  if (next < order.size()) {
    weights.push_back(0);
    names.push_back(order.size() - next == 1 ? light.units[order[next]] : "others");
    for (; next < order.size(); ++next) weights.back() += row.shares[order[next]].weight;
  }
  weights.push_back(row.special.weight);
  names.push_back("special tokens");
  std::vector<std::string> terms;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string weight = fmt::format("{:.2f}", weights[i]);
    if (weight != "0.00") terms.push_back(weight + " " + names[i]);
  }
  return fmt::format("{} = {}", row.word, fmt::join(terms, " + "));
}

}  // namespace limelight::studio
