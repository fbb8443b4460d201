// One run of the model with every layer watched.
#include "head_ranking.h"

#include <algorithm>
#include <numeric>

namespace limelight::studio {

HeadRanking rank_heads(const Reader& model, std::string_view text, const HeadRankingOptions& options) {
  const Reading reading = read_text(model, text, options.too_long);
  const int64_t looks = find_word(reading, options.from), seen = find_word(reading, options.to);
  const Unit& looker = reading.words[static_cast<size_t>(looks)];
  const Unit& target = reading.words[static_cast<size_t>(seen)];
  const std::vector<int64_t>& from = looker.tokens;
  const std::vector<int64_t>& to = target.tokens;
  const Light light = watch(model, reading.ids, from, {.mask = options.mask, .run = options.run});

  HeadRanking ranking{.model = model.facts().name,
                      .mask = light.mask,
                      .from = {looker.text, looks},
                      .to = {target.text, seen},
                      .notes = reading.notes};
  std::vector<int64_t> rows(from.size());
  std::iota(rows.begin(), rows.end(), 0);
  ranking.blocked = blocked(light.layers.front(), 0, rows, to);
  for (const LayerLight& layer : light.layers) {
    for (int64_t head = 0; head < layer.heads(); ++head) {
      ranking.heads.push_back({layer.layer, head, link(layer, head, rows, to)});
    }
  }
  std::stable_sort(ranking.heads.begin(), ranking.heads.end(),
                   [](const RankedHead& a, const RankedHead& b) { return a.weight > b.weight; });
  return ranking;
}

}  // namespace limelight::studio
