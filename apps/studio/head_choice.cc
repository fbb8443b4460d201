// The default heads were measured on several sentences: both link a pronoun to its noun.
#include "head_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/error.h"

namespace limelight::studio {
namespace {

struct DefaultHead {
  std::string_view model;
  int64_t layers, heads;
  int64_t layer, head;
};
constexpr DefaultHead kDefaultHeads[] = {{"minilm", 6, 12, 5, 11}, {"smollm2", 30, 9, 13, 8}};

void check_number(const char* what, const std::string& model, std::optional<int64_t> number, int64_t count) {
  if (!number || (*number >= 0 && *number < count)) return;
  detail::fail_argument(
      fmt::format("{}: {} has {}s 0 to {}, found {}; choose one of these", what, model, what, count - 1, *number));
}

// The strongest link of this head to a unit at least `distance` away from the query; -1 when there is none.
double strongest_link(const LayerLight& light, int64_t head, const std::vector<Query>& queries,
                      const std::vector<Unit>& units, int64_t distance) {
  double best = -1;
  for (const Query& query : queries) {
    for (size_t u = 0; u < units.size(); ++u) {
      const std::vector<int64_t>& tokens = units[u].tokens;
      const bool first = std::find(tokens.begin(), tokens.end(), 0) != tokens.end();
      if (tokens.empty() || std::abs(static_cast<int64_t>(u) - query.unit) < distance || (first && distance > 0))
        continue;
      if (!blocked(light, head, query.rows, tokens)) best = std::max(best, link(light, head, query.rows, tokens));
    }
  }
  return best;
}

double link_of_all(const LayerLight& light, int64_t head, const std::vector<Query>& queries,
                   const std::vector<int64_t>& tokens) {
  double sum = 0;
  for (const Query& query : queries) sum += link(light, head, query.rows, tokens);
  return sum;
}

std::string rule(const HeadWish& wish, const Reading& reading, int64_t distance) {
  std::string text = "strongest link to a word that is not next to it";
  if (distance < 2) text = distance == 1 ? "strongest link to another word" : "strongest link to itself";
  if (wish.find) text = fmt::format("most light to \"{}\"", reading.words[static_cast<size_t>(*wish.find)].text);
  if (wish.layer) text += fmt::format(", within layer {}", *wish.layer);
  if (wish.head) text += fmt::format(", head {} of every layer", *wish.head);
  return text;
}

}  // namespace

void check_range(const ReaderFacts& facts, const HeadWish& wish) {
  check_number("layer", facts.name, wish.layer, facts.layers);
  check_number("head", facts.name, wish.head, facts.heads);
}

std::optional<HeadChoice> known_head(const ReaderFacts& facts, const HeadWish& wish) {
  if (wish.find) return std::nullopt;
  if (wish.layer && wish.head) return HeadChoice{*wish.layer, *wish.head, "as given"};
  if (wish.layer || wish.head) return std::nullopt;
  for (const DefaultHead& known : kDefaultHeads) {
    if (known.model == facts.name && known.layers == facts.layers && known.heads == facts.heads) {
      return HeadChoice{known.layer, known.head, fmt::format("default of {}", known.model)};
    }
  }
  return std::nullopt;
}

HeadChoice strongest_head(const Light& light, const HeadWish& wish, const std::vector<Query>& queries,
                          const std::vector<Unit>& units, const Reading& reading) {
  HeadChoice choice;
  double best = -1;
  for (int64_t distance = 2; distance >= 0 && best < 0; --distance) {
    for (const LayerLight& layer : light.layers) {
      for (int64_t head = 0; head < layer.heads(); ++head) {
        if (wish.head && *wish.head != head) continue;
        const double strength =
            wish.find ? link_of_all(layer, head, queries, reading.words[static_cast<size_t>(*wish.find)].tokens)
                      : strongest_link(layer, head, queries, units, distance);
        if (strength <= best) continue;
        best = strength;
        choice.chosen_by = rule(wish, reading, distance);
        choice.layer = layer.layer;
        choice.head = head;
      }
    }
  }
  return choice;
}

}  // namespace limelight::studio
