// One run of the model; of every head one number is kept.
#include "head_ranking.h"

#include <algorithm>

namespace limelight::studio {

HeadRanking rank_heads(const Reader& model, std::string_view text, const HeadRankingOptions& options) {
  const Reading reading = read_text(model, text, options.too_long);
  const int64_t looks = find_word(reading, options.from), seen = find_word(reading, options.to);
  const Unit& looker = reading.words[static_cast<size_t>(looks)];
  const Unit& target = reading.words[static_cast<size_t>(seen)];
  HeadRanking ranking{.model = model.facts().name,
                      .from = {looker.text, looks},
                      .to = {target.text, seen},
                      .blocked = true,
                      .notes = reading.notes};
  const Query query{.unit = looks, .tokens = looker.tokens};
  watch(model, reading.ids, {&query, 1}, {.mask = options.mask, .run = options.run}, [&](const HeadLight& light) {
    ranking.mask = light.mask;
    const bool hidden = blocked(light.queries[0], target.tokens);
    ranking.blocked = ranking.blocked && hidden;
    ranking.heads.push_back({light.layer, light.head, link(light.queries[0], target.tokens), hidden});
  });
  std::stable_sort(ranking.heads.begin(), ranking.heads.end(),
                   [](const RankedHead& a, const RankedHead& b) { return a.weight > b.weight; });
  return ranking;
}

}  // namespace limelight::studio
