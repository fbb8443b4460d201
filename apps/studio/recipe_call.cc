// recipe, preset, tiles: the steps of one head on a sentence, and the flash pass that never writes them down.
#include <algorithm>

#include "call.h"
#include "grid_json.h"
#include "lesson/mistakes.h"
#include "lesson/preset.h"
#include "lesson/tiles.h"
#include "rounding.h"

namespace limelight::studio {
namespace {

Json steps_json(const lesson::HeadInput& head, const lesson::Recipe& steps) {
  Json json = {{"d_k", head.head_size()},
               {"scale", number_json(steps.scale)},
               {"q", grid_json(lesson::rows_of(head.q))},
               {"k", grid_json(lesson::rows_of(head.k))},
               {"v", grid_json(lesson::rows_of(head.v))},
               {"out", grid_json(steps.out)},
               {"scores", grid_json(steps.scores)},
               {"scaled", grid_json(steps.scaled)},
               {"masked", grid_json(steps.scaled, steps.blocked)},
               {"weights", grid_json(steps.weights.grid, steps.blocked)},
               {"row_sums", steps.weights.row_sums},
               {"entropy", steps.weights.entropy},
               {"gradient", steps.weights.gradient}};
  json["unscaled"] = {{"weights", grid_json(steps.unscaled.grid, steps.blocked)},
                      {"entropy", steps.unscaled.entropy},
                      {"gradient", steps.unscaled.gradient}};
  json["lse"] = list_json(steps.lse);
  json["difference"] = steps.difference;
  return json;
}

// Shares of a preset's words, as a spotlight: what is shown of them is formed in one place.
Spotlight spotlight_of(const lesson::Preset& preset, const lesson::Recipe& steps) {
  Spotlight light{
      .model = "preset", .mask = preset.causal, .text = "", .units = preset.words, .grid = true, .notes = {}};
  const auto count = static_cast<int64_t>(preset.words.size());
  for (int64_t i = 0; i < count; ++i) {
    SpotlightRow row{.word = preset.words[static_cast<size_t>(i)], .index = i, .own = {static_cast<size_t>(i)}};
    std::vector<double> weights;
    for (int64_t j = 0; j < count; ++j) {
      weights.push_back(static_cast<double>(steps.weights.grid(i, j)));
      row.shares.push_back({.weight = weights.back(), .blocked = steps.blocked(i, j) != 0});
    }
    const std::vector<int64_t> permille = largest_remainder(weights, 1000);
    for (size_t j = 0; j < permille.size(); ++j) row.shares[j].permille = permille[j];
    light.rows.push_back(std::move(row));
  }
  return light;
}

Json percent_json(const Spotlight& light) {
  Json rows = Json::array();
  for (const SpotlightRow& row : light.rows) {
    Json& list = rows.emplace_back(Json::array());
    for (const Share& share : row.shares) {
      list.push_back(share.blocked ? Json() : Json(static_cast<double>(share.permille) / 10));
    }
  }
  return rows;
}

// What the shares would be if hidden scores were filled with 0; null where nothing is hidden.
Json zero_fill_json(const lesson::Preset& preset) {
  if (preset.causal == Causal::kNone) return {};
  const lesson::ZeroFill filled = lesson::zero_fill(preset.head());
  return {{"weights", grid_json(*filled.wrong.grid)}, {"row_sums", filled.wrong.row_sums}, {"leak", filled.leak}};
}

Json step_json(const lesson::TileStep& step) {
  const auto or_null = [](const auto& number) { return number ? number_json(*number) : Json(); };
  return {{"first", step.first},
          {"end", step.end},
          {"scores", list_json(step.scores, step.blocked)},
          {"skipped", step.skipped},
          {"tile_max", or_null(step.tile_max)},
          {"max", or_null(step.max)},
          {"rescale", number_json(step.rescale)},
          {"sum", number_json(step.sum)},
          {"out", step.out ? list_json(*step.out) : Json()},
          {"weights", list_json(step.weights, step.blocked)},
          {"difference", step.difference ? Json(*step.difference) : Json()}};
}

}  // namespace

lesson::HeadInput head_of(const Scene& scene) {
  const int64_t head = scene.head.head;
  return {.q = scene.layer->query(head),
          .k = scene.layer->key(head),
          .v = scene.layer->value(head),
          .options = scene.layer->options};
}

void put_sentence(Json& json, const Reading& reading) {
  json["tokens"] = tokens_json(reading);
  json["words"] = words_json(reading);
  json["gaps"] = gaps_before(reading.words);
}

Json recipe_call(const Call& call) {
  const Scene scene = set_scene(call, Limits::kLessonTokens);
  Json json = scene_json(scene);
  put_sentence(json, scene.reading);
  const lesson::HeadInput head = head_of(scene);
  json["steps"] = steps_json(head, lesson::recipe(head));
  json["notes"] = scene.reading.notes;
  return json;
}

Json preset_call(const Call& call) {
  const std::string name = call.asked.at("name");
  const lesson::Preset preset = lesson::preset(name);
  const lesson::HeadInput head = preset.head();
  const lesson::Recipe steps = lesson::recipe(head);
  const Spotlight light = spotlight_of(preset, steps);
  std::vector<int64_t> gaps(preset.words.size(), 1);
  gaps.front() = 0;
  return {{"name", name},
          {"illustrative", true},
          {"words", preset.words},
          {"gaps", gaps},
          {"mask", mask_name(preset.causal)},
          {"query", preset.query},
          {"steps", steps_json(head, steps)},
          {"percent", percent_json(light)},
          {"zero_fill", zero_fill_json(preset)},
          {"sum", weighted_sum(light, light.rows[static_cast<size_t>(preset.query)])}};
}

Json tiles_call(const Call& call) {
  const Scene scene = set_scene(call, Limits::kLessonTokens);
  const std::vector<Unit>& words = scene.reading.words;
  int64_t word = static_cast<int64_t>(words.size()) - 1;
  while (word > 0 && words[static_cast<size_t>(word)].tokens.empty()) --word;
  if (const auto asked = call.asked.find("word"); asked != call.asked.end()) {
    word = find_word(scene.reading, word_wish(*asked));
  }
  const Unit& looker = words[static_cast<size_t>(word)];
  if (looker.tokens.empty()) find_word(scene.reading, word_wish(word));  // refuses it
  const int64_t tile = call.asked.value("tile", int64_t{4}), query = looker.tokens.back();
  const lesson::TileTrace trace = lesson::trace_tiles(head_of(scene), query, tile);
  Json json = scene_json(scene);
  put_sentence(json, scene.reading);
  json["query"] = {{"word", looker.text}, {"index", word}, {"token", query}};
  json["tile"] = tile;
  json["engine_tile"] = lesson::engine_tile();
  Json& steps = json["trace"] = Json::array();
  for (const lesson::TileStep& step : trace.steps) steps.push_back(step_json(step));
  json["plain"] = trace.plain;
  json["difference"] = trace.difference;
  json["notes"] = scene.reading.notes;
  return json;
}

}  // namespace limelight::studio
