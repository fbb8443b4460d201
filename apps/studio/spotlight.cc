// One run of the model, one head chosen, token rows merged to words: summed over a key's pieces, averaged over a
// query's.
#include "spotlight.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
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

// Tokens merged to the shares of units. Where the first token is left out, what is left is made to add to 1.
class Merge {
 public:
  Merge(const LayerLight& light, int64_t head, const Query& query, bool without_first)
      : light_(light), head_(head), query_(query), without_first_(without_first) {
    first_ = link(light, head, query.rows, kFirst);
    if (without_first) scale_ = first_ < 1 ? 1 / (1 - first_) : 0;
  }

  Share first() const {
    return {.weight = first_,
            .permille = std::lround(first_ * 1000),
            .blocked = blocked(light_, head_, query_.rows, kFirst)};
  }

  Share share(std::vector<int64_t> tokens) const {
    const bool hidden = blocked(light_, head_, query_.rows, tokens);
    const bool led = without_first_ && std::erase(tokens, 0) > 0;
    return {.weight = scale_ * link(light_, head_, query_.rows, tokens),
            .blocked = hidden,
            .left_out = led && tokens.empty() && !hidden};
  }

 private:
  static constexpr std::array<int64_t, 1> kFirst = {0};

  const LayerLight& light_;
  const int64_t head_;
  const Query& query_;
  const bool without_first_;
  double first_ = 0, scale_ = 1;
};

SpotlightRow merge(const LayerLight& light, int64_t head, const Query& query, const std::vector<Unit>& units,
                   const std::vector<int64_t>& special, bool without_first) {
  SpotlightRow row{.index = query.unit};
  const Merge merge(light, head, query, without_first);
  double total = 0;
  for (const Unit& unit : units) {
    row.shares.push_back(merge.share(unit.tokens));
    total += row.shares.back().weight;
  }
  row.special = merge.share(special);
  row.first = merge.first();
  if (!std::isfinite(total + row.special.weight + row.first.weight)) {
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

std::vector<int64_t> gaps_before(const std::vector<Unit>& units) {
  std::vector<int64_t> gaps;
  int64_t end = 0;
  for (const Unit& unit : units) {
    gaps.push_back(unit.span.begin > end ? 1 : 0);
    end = std::max(end, unit.span.end);
  }
  return gaps;
}

std::string special_name(const Reading& reading, const Token& token) {
  if (token.special) return token.piece;
  const auto begin = static_cast<size_t>(token.span.begin), end = static_cast<size_t>(token.span.end);
  const bool blank = words_of(std::string_view(reading.text).substr(begin, end - begin)).empty();
  return blank ? "(space)" : token.piece;
}

// Once each, and not without end.
std::string special_names(const Reading& reading) {
  constexpr size_t kMostNamed = 4;
  std::vector<std::string> names;
  for (const int64_t token : reading.special) {
    std::string name = special_name(reading, reading.tokens[static_cast<size_t>(token)]);
    if (names.size() > kMostNamed || std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(names.size() == kMostNamed ? "..." : std::move(name));
  }
  return fmt::format("{}", fmt::join(names, " "));
}

// A grid of all words is T x T by its nature.
void check_grid(const std::vector<Unit>& units) {
  constexpr size_t kMost = 1024;
  if (units.size() <= kMost) return;
  detail::fail_argument(
      fmt::format("text: a grid takes {} words, found {}; choose one that looks by --word", kMost, units.size()));
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

std::string heading(const Spotlight& light) {
  std::string text = fmt::format("{} {}, mask {}, head: {}", light.model, head_name(light.head.layer, light.head.head),
                                 mask_name(light.mask), light.head.chosen_by);
  if (light.without_first) text += ", without the first token";
  return text;
}

std::string share_text(const Share& share) {
  if (share.blocked) return "blocked";
  return share.left_out ? "left out" : fmt::format("{:.1f}", static_cast<double>(share.permille) / 10);
}

std::string_view blocked_reason(const SpotlightRow& row, size_t unit) {
  return row.own.empty() || unit > row.own.front() ? "it comes later" : "it is beyond the window";
}

std::string first_token_line(const Spotlight& light, const SpotlightRow& row) {
  if (light.first_word.empty() || row.first.blocked) return "";
  return fmt::format("first token (\"{}\"): {:.1f} % of the light{}", light.first_word,
                     static_cast<double>(row.first.permille) / 10,
                     light.without_first ? ", left out; the others add to 100" : "");
}

std::string head_name(int64_t layer, int64_t head) {
  return fmt::format("L{}.H{}", layer, head);
}

std::string_view mask_name(Causal mask) {
  return mask == Causal::kNone ? "none" : "causal";
}

Spotlight spotlight(const Reader& model, std::string_view text, const SpotlightOptions& options) {
  const ReaderFacts& facts = model.facts();
  HeadWish wish{.layer = options.layer, .head = options.head};
  check_range(facts, wish);
  const Reading reading = read_text(model, text, options.too_long);
  if (!options.find.empty()) wish.find = find_word(reading, options.find);
  const std::vector<Unit>& units = options.pieces ? reading.pieces : reading.words;
  const bool grid = options.word.empty();

  Watched watched;
  if (grid) {
    check_grid(units);
    for (size_t u = 0; u < units.size(); ++u) watched.add(static_cast<int64_t>(u), units[u].tokens);
  } else {
    const int64_t word = find_word(reading, options.word);
    watched.add(word, reading.words[static_cast<size_t>(word)].tokens);
  }

  const std::optional<HeadChoice> known = known_head(facts, wish);
  const std::optional<int64_t> layer = known ? known->layer : wish.layer;
  const Light light =
      watch(model, reading.ids, watched.tokens, {.mask = options.mask, .layer = layer, .run = options.run});

  if (wish.find) check_seen(light.layers.front(), watched.queries.front(), reading, *wish.find);
  const std::vector<Unit>& lookers = grid ? units : reading.words;

  Spotlight result{.model = facts.name,
                   .mask = light.mask,
                   .text = reading.text,
                   .without_first = options.without_first,
                   .grid = grid,
                   .notes = reading.notes};
  result.head = known ? *known : strongest_head(light, wish, watched.queries, lookers, reading);
  for (const Unit& unit : units) result.units.push_back(unit.text);
  result.gaps = gaps_before(units);
  result.special = special_names(reading);
  const auto first = std::find_if(units.begin(), units.end(),
                                  [](const Unit& u) { return !u.tokens.empty() && u.tokens.front() == 0; });
  if (first != units.end()) result.first_word = first->text;
  const auto shown = std::find_if(light.layers.begin(), light.layers.end(),
                                  [&](const LayerLight& l) { return l.layer == result.head.layer; });
  for (const Query& query : watched.queries) {
    SpotlightRow row = merge(*shown, result.head.head, query, units, reading.special, options.without_first);
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
    if (row.shares[i].lit()) order.push_back(i);
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
  if (!light.special.empty()) {
    weights.push_back(row.special.weight);
    names.push_back("special tokens");
  }
  std::vector<std::string> terms;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string weight = fmt::format("{:.2f}", weights[i]);
    if (weight != "0.00") terms.push_back(weight + " " + names[i]);
  }
  return fmt::format("{} = {}", row.word, fmt::join(terms, " + "));
}

}  // namespace limelight::studio
