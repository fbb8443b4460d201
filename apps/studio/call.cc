// What many calls share: their fields, and the scene of a text, a model and a head.
#include "call.h"

#include <fmt/format.h>

#include "core/error.h"

namespace limelight::studio {

std::string Call::text() const {
  const auto& text = asked.at("text").get_ref<const std::string&>();
  if (static_cast<int64_t>(text.size()) > Limits::kTextBytes) {
    detail::fail_argument(fmt::format("text: expected at most {} bytes, found {}", Limits::kTextBytes, text.size()));
  }
  return text;
}

Mask Call::mask() const {
  return mask_of(asked.value("mask", "model"));
}

TooLong Call::too_long() const {
  return asked.value("cut", false) ? TooLong::kCut : TooLong::kRefuse;
}

std::shared_ptr<const RememberingReader> Call::model() const {
  if (asked.contains("model")) return studio.models.get(asked.at("model").get<std::string>());
  const std::optional<std::string> usual = studio.models.usual();
  if (!usual) {
    detail::fail_file(fmt::format("model: none is here; bring one with: {}", studio.models.models().front().command));
  }
  return studio.models.get(*usual);
}

std::optional<int64_t> Call::number(const char* field) const {
  const auto found = asked.find(field);
  return found == asked.end() ? std::nullopt : std::optional(found->get<int64_t>());
}

std::string word_wish(const Json& asked) {
  return asked.is_string() ? asked.get<std::string>() : fmt::format("#{}", asked.get<int64_t>());
}

HeadChoice choose_head(const Call& call, const Reader& model, const std::string& text, int64_t tokens) {
  const HeadWish wish{.layer = call.number("layer"), .head = call.number("head")};
  check_range(model.facts(), wish);
  if (const auto known = known_head(model.facts(), wish)) return *known;
  if (tokens > Limits::kGridTokens) {
    detail::fail_argument("layer: expected a layer and a head for a text this long, found no choice of both");
  }
  return spotlight(model, text, {.layer = wish.layer, .head = wish.head, .mask = call.mask(), .run = call.run}).head;
}

Scene set_scene(const Call& call, int64_t most) {
  Scene scene{.model = call.model(), .reading = {}, .head = {}, .layer = nullptr};
  const Reader& model = *scene.model;
  scene.reading = read_text(model, call.text(), call.too_long());
  const auto tokens = static_cast<int64_t>(scene.reading.ids.size());
  if (tokens > most) detail::fail_argument(fmt::format("text: expected at most {} tokens, found {}", most, tokens));
  scene.head = choose_head(call, model, scene.reading.text, tokens);
  scene.layer = keep_layer(model, scene.reading.ids, scene.head.layer, call.mask(), call.run);
  return scene;
}

Json scene_json(const Scene& scene) {
  return {{"model", scene.model->facts().name},
          {"mask", mask_name(scene.layer->options.causal)},
          {"layer", scene.head.layer},
          {"head", scene.head.head},
          {"chosen_by", scene.head.chosen_by}};
}

Json words_json(const Reading& reading) {
  Json words = Json::array();
  for (const Unit& word : reading.words) words.push_back(word.text);
  return words;
}

std::vector<int32_t> token_words(const Reading& reading) {
  std::vector<int32_t> words(reading.tokens.size(), -1);
  for (size_t w = 0; w < reading.words.size(); ++w) {
    for (const int64_t token : reading.words[w].tokens) words[static_cast<size_t>(token)] = static_cast<int32_t>(w);
  }
  return words;
}

Json tokens_json(const Reading& reading) {
  Json tokens = Json::array();
  const std::vector<int32_t> words = token_words(reading);
  for (size_t t = 0; t < words.size(); ++t) {
    tokens.push_back({{"piece", reading.tokens[t].piece},
                      {"word", words[t] < 0 ? Json() : Json(words[t])},
                      {"special", words[t] < 0}});
  }
  return tokens;
}

}  // namespace limelight::studio
