// The default heads were measured on several sentences: both link a pronoun to its noun.
#include "head_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/error.h"
#include "unicode.h"

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

std::string rule(const HeadWish& wish, const Reading& reading, int64_t distance) {
  std::string text = "strongest link to a word that is not next to it";
  if (distance < 2) text = distance == 1 ? "strongest link to another word" : "strongest link to itself";
  if (wish.find)
    text = fmt::format("most light to \"{}\"", legible(reading.words[static_cast<size_t>(*wish.find)].text));
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

void StrongestHead::offer(HeadLight light) {
  const Link strongest = wish_.find ? link_to_wanted(light) : strongest_link(light);
  const bool stronger =
      strongest.distance > best_.distance || (strongest.distance == best_.distance && strongest.weight > best_.weight);
  if (!stronger && !light_.queries.empty()) return;
  best_ = strongest;
  light_ = std::move(light);
}

HeadChoice StrongestHead::choice() const {
  return {light_.layer, light_.head, rule(wish_, reading_, best_.distance)};
}

StrongestHead::Link StrongestHead::link_to_wanted(const HeadLight& light) {
  const std::vector<int64_t>& wanted = reading_.words[static_cast<size_t>(*wish_.find)].tokens;
  Link sum{.distance = 0, .weight = 0};
  for (const QueryLight& query : light.queries) {
    sum.weight += link(query, wanted);
    sees_wanted_ = sees_wanted_ || !blocked(query, wanted);
  }
  return sum;
}

StrongestHead::Link StrongestHead::strongest_link(const HeadLight& light) const {
  Link best;
  for (const QueryLight& query : light.queries) {
    for (size_t u = 0; u < units_.size(); ++u) {
      const std::vector<int64_t>& tokens = units_[u].tokens;
      if (tokens.empty() || blocked(query, tokens)) continue;
      const bool first = std::find(tokens.begin(), tokens.end(), 0) != tokens.end();
      const int64_t distance = first ? 0 : std::min<int64_t>(2, std::abs(static_cast<int64_t>(u) - query.unit));
      if (distance < best.distance) continue;
      const double weight = link(query, tokens);
      if (weight >= 0 && (distance > best.distance || weight > best.weight)) best = {distance, weight};
    }
  }
  return best;
}

}  // namespace limelight::studio
