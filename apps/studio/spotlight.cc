// One run of the model, one head chosen, rows of tokens merged to those of words.
#include "spotlight.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.h"
#include "rollout_light.h"
#include "rounding.h"
#include "spotlight_row.h"
#include "unicode.h"

namespace limelight::studio {
namespace {

std::vector<Unit> units_of_kind(const Reading& reading, UnitKind kind) {
  if (kind == UnitKind::kWord) return reading.words;
  if (kind == UnitKind::kPiece) return reading.pieces;
  std::vector<Unit> tokens;
  for (size_t t = 0; t < reading.tokens.size(); ++t) {
    tokens.push_back({reading.tokens[t].piece, {static_cast<int64_t>(t)}, reading.tokens[t].span});
  }
  return tokens;
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

// Every unit keeps a row of all tokens, of which a single word may have any number.
void check_grid(const std::vector<Unit>& units, size_t tokens, size_t most) {
  constexpr size_t kMostPairs = size_t{1} << 22;
  if (units.size() > most) {
    detail::fail_argument(
        fmt::format("text: a grid takes {} words, found {}; choose one that looks by --word", most, units.size()));
  }
  if (units.size() * tokens > kMostPairs) {
    detail::fail_argument(
        fmt::format("text: a grid of {} words takes {} tokens, found {}; choose one that looks by --word", units.size(),
                    kMostPairs / units.size(), tokens));
  }
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

// All that one spotlight takes, from the units to the rows.
class Look {
 public:
  Look(const Reader& model, const Reading& reading, const SpotlightOptions& options)
      : model_(model),
        reading_(reading),
        options_(options),
        grid_(options.words.empty()),
        units_(units_of_kind(reading, options.unit)),
        lookers_(grid_ ? units_ : reading.words),
        special_(options.unit == UnitKind::kToken ? std::vector<int64_t>{} : reading.special) {}

  Spotlight run() {
    choose_lookers();
    if (options_.rollout) return rolled_out();
    HeadWish wish{.layer = options_.layer, .head = options_.head};
    if (!options_.find.empty()) wish.find = find_word(reading_, options_.find);
    if (const auto known = known_head(model_.facts(), wish)) return shown(light_of(*known), *known);
    StrongestHead strongest(wish, lookers_, reading_);
    watch(model_, reading_.ids, queries_, {options_.mask, wish.layer, wish.head, 1, options_.run},
          [&](HeadLight&& light) { strongest.offer(std::move(light)); });
    if (wish.find && !strongest.sees_wanted()) refuse_hidden(*wish.find);
    const HeadChoice head = strongest.choice();
    return shown(options_.temperature == 1 ? strongest.take_light() : light_of(head), head);
  }

 private:
  void choose_lookers() {
    if (grid_) {
      check_grid(units_, reading_.ids.size(), options_.most_in_grid);
      for (size_t u = 0; u < units_.size(); ++u) {
        if (!units_[u].tokens.empty()) queries_.push_back({static_cast<int64_t>(u), units_[u].tokens});
      }
      return;
    }
    std::vector<int64_t> words;
    for (const std::string& asked : options_.words) {
      const int64_t word = find_word(reading_, asked);
      if (std::find(words.begin(), words.end(), word) != words.end()) continue;
      words.push_back(word);
      queries_.push_back({word, reading_.words[static_cast<size_t>(word)].tokens});
    }
  }

  // The mask hides the word to be found in every head, so that each sends it nothing.
  [[noreturn]] void refuse_hidden(int64_t wanted) const {
    const auto spelling = [&](int64_t word) { return legible(reading_.words[static_cast<size_t>(word)].text); };
    int64_t looker = queries_.front().unit;
    for (const Query& query : queries_) looker = std::min(looker, query.unit);
    detail::fail_argument(fmt::format("find: the mask blocks \"{}\" from \"{}\" in every head; {}, try --mask none",
                                      spelling(wanted), spelling(looker),
                                      blocked_reason(static_cast<size_t>(looker), static_cast<size_t>(wanted))));
  }

  Spotlight rolled_out() const {
    const HeadLight light = rollout_light(model_, reading_.ids, queries_,
                                          {.mask = options_.mask, .layer = options_.layer, .run = options_.run});
    return shown(light, {light.layer, light.head, "all, by attention rollout"});
  }

  HeadLight light_of(const HeadChoice& head) const {
    HeadLight light;
    watch(model_, reading_.ids, queries_, {options_.mask, head.layer, head.head, options_.temperature, options_.run},
          [&](HeadLight&& seen) { light = std::move(seen); });
    return light;
  }

  HeadVectors vectors_of(const HeadChoice& head) const {
    std::vector<int64_t> tokens;
    for (const Query& query : queries_) tokens.insert(tokens.end(), query.tokens.begin(), query.tokens.end());
    return head_vectors(model_, reading_, tokens, {options_.mask, head.layer, head.head, 1, options_.run});
  }

  std::vector<SpotlightRow> rows_of(const HeadLight& light, bool without_first) const {
    std::vector<SpotlightRow> rows;
    for (const QueryLight& query : light.queries) {
      const Unit& looker = lookers_[static_cast<size_t>(query.unit)];
      SpotlightRow row = merge_row(light, query, units_, special_, without_first);
      row.word = looker.text;
      row.own = units_of(units_, looker);
      if (options_.temperature != 1) row.lse.reset();
      rows.push_back(std::move(row));
    }
    return rows;
  }

  // Several words look together but in a grid.
  void put_rows(Spotlight& result, std::vector<SpotlightRow> rows) const {
    if (grid_ || rows.size() == 1) {
      result.rows = std::move(rows);
    } else {
      result.rows = {together(rows, unit_of_first_token(units_))};
      result.each = std::move(rows);
    }
  }

  Spotlight shown(const HeadLight& light, const HeadChoice& head) const {
    Spotlight result{.model = model_.facts().name,
                     .mask = light.mask,
                     .head = head,
                     .text = reading_.text,
                     .gaps = gaps_before(units_),
                     .special = special_.empty() ? "" : special_names(reading_),
                     .tokens = static_cast<int64_t>(reading_.ids.size()),
                     .unit = options_.unit,
                     .without_first = options_.without_first,
                     .temperature = options_.temperature,
                     .grid = grid_,
                     .notes = reading_.notes};
    for (const Unit& unit : units_) result.units.push_back(unit.text);
    const std::optional<size_t> first = unit_of_first_token(units_);
    if (first) result.first_word = units_[*first].text;
    if (options_.without_first) {
      // Left out, the first token keeps the percentage it has in the whole row.
      Spotlight whole;
      put_rows(whole, rows_of(light, false));
      put_rows(result, rows_of(light, true));
      for (size_t r = 0; r < whole.rows.size(); ++r) result.rows[r].first = whole.rows[r].first;
    } else {
      put_rows(result, rows_of(light, false));
    }
    if (options_.vectors) result.vectors = vectors_of(head);
    return result;
  }

  const Reader& model_;
  const Reading& reading_;
  const SpotlightOptions& options_;
  const bool grid_;
  const std::vector<Unit> units_;
  const std::vector<Unit> lookers_;
  const std::vector<int64_t> special_;
  std::vector<Query> queries_;
};

}  // namespace

Spotlight legible(Spotlight light) {
  for (std::string* text : {&light.model, &light.special, &light.first_word}) *text = legible(*text);
  for (std::string& unit : light.units) unit = legible(unit);
  for (std::vector<SpotlightRow>* rows : {&light.rows, &light.each}) {
    for (SpotlightRow& row : *rows) row.word = legible(row.word);
  }
  return light;
}

std::string heading(const Spotlight& light) {
  std::string text = fmt::format("{} {}, mask {}, head: {}", light.model, head_name(light.head.layer, light.head.head),
                                 mask_name(light.mask), light.head.chosen_by);
  if (!light.grid && light.rows.front().indices.size() > 1) text += ", mean of " + light.rows.front().word;
  if (light.temperature != 1) text += fmt::format(", softmax temperature {}", light.temperature);
  if (light.without_first) text += ", without the first token";
  return text;
}

std::string share_text(const Share& share) {
  if (share.blocked) return "blocked";
  if (share.left_out) return "left out";
  if (share.permille == 0 && share.weight > 0) return "<0.1";
  return fmt::format("{:.1f}", static_cast<double>(share.permille) / 10);
}

std::string_view blocked_reason(size_t looker, size_t unit) {
  return unit > looker ? "it comes later" : "it is beyond the window";
}

std::string_view blocked_reason(const SpotlightRow& row, size_t unit) {
  return blocked_reason(row.own.front(), unit);
}

std::set<std::string_view> blocked_reasons(const Spotlight& light) {
  std::set<std::string_view> reasons;
  for (const SpotlightRow& row : light.rows) {
    for (size_t u = 0; u < row.shares.size(); ++u) {
      if (row.shares[u].blocked) reasons.insert(blocked_reason(row, u));
    }
  }
  return reasons;
}

std::string first_token_line(const Spotlight& light, const SpotlightRow& row) {
  if (light.first_word.empty() || row.first.blocked) return "";
  return fmt::format("first token (\"{}\"): {:.1f} % of the light{}", light.first_word,
                     static_cast<double>(row.first.permille) / 10,
                     light.without_first ? ", left out; the others add to 100" : "");
}

std::string head_name(int64_t layer, int64_t head) {
  if (head == kAllHeads) return fmt::format("layers 0 to {}", layer);
  return fmt::format("L{}.H{}", layer, head);
}

std::string_view mask_name(Causal mask) {
  return mask == Causal::kNone ? "none" : "causal";
}

Spotlight spotlight(const Reader& model, std::string_view text, const SpotlightOptions& options) {
  check_range(model.facts(), {.layer = options.layer, .head = options.head});
  const Reading reading = read_text(model, text, options.too_long);
  return Look(model, reading, options).run();
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

namespace {

// "it", or "it:2" where the text has it several times, as it is asked for.
std::vector<std::string> numbered(const std::vector<std::string>& units) {
  std::map<std::u32string, std::vector<size_t>> places;
  for (size_t i = 0; i < units.size(); ++i) places[fold(units[i])].push_back(i);
  std::vector<std::string> names = units;
  for (const auto& [folded, found] : places) {
    for (size_t n = 0; found.size() > 1 && n < found.size(); ++n) names[found[n]] += fmt::format(":{}", n + 1);
  }
  return names;
}

std::string lookers_name(const Spotlight& light, const SpotlightRow& row, const std::vector<std::string>& names) {
  if (light.unit != UnitKind::kWord) return row.word;
  if (row.indices.empty()) return names[static_cast<size_t>(row.index)];
  std::vector<std::string> lookers;
  for (const int64_t index : row.indices) lookers.push_back(names[static_cast<size_t>(index)]);
  return fmt::format("{}", fmt::join(lookers, " + "));
}

}  // namespace

std::string weighted_sum(const Spotlight& light, const SpotlightRow& row) {
  constexpr size_t kTerms = 3;
  constexpr int64_t kSmallest = 20;  // permille, as told: a weight near the limit is the same number for the page
  const std::vector<size_t> order = strongest_first(row);
  const std::vector<std::string> units = numbered(light.units);
  std::vector<double> weights;
  std::vector<std::string> names;
  size_t next = 0;
  for (; next < order.size() && next < kTerms && (next == 0 || row.shares[order[next]].permille >= kSmallest); ++next) {
    weights.push_back(row.shares[order[next]].weight);
    names.push_back(units[order[next]]);
  }
  if (next < order.size()) {
    weights.push_back(0);
    names.push_back(order.size() - next == 1 ? units[order[next]] : "others");
    for (; next < order.size(); ++next) weights.back() += row.shares[order[next]].weight;
  }
  if (!light.special.empty()) {
    weights.push_back(row.special.weight);
    names.push_back(light.special);
  }
  const std::vector<int64_t> hundredths = largest_remainder(weights, 100);
  std::vector<std::string> terms;
  for (size_t i = 0; i < names.size(); ++i) {
    if (hundredths[i] > 0)
      terms.push_back(fmt::format("{}.{:02} {}", hundredths[i] / 100, hundredths[i] % 100, names[i]));
  }
  return fmt::format("{} = {}", lookers_name(light, row, units), fmt::join(terms, " + "));
}

}  // namespace limelight::studio
