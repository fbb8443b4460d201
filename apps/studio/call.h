// One call while it is answered: what was asked, checked against the schema, and the functions that answer.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "answer.h"
#include "kept_layer.h"
#include "lesson/recipe.h"
#include "reading.h"
#include "spotlight.h"

namespace limelight::studio {

using Json = nlohmann::ordered_json;

struct Call {
  Studio& studio;
  const Json& asked;
  Run run;
  std::function<void(const Json&)> part;

  std::string text() const;  // throws std::invalid_argument when it has too many bytes
  Mask mask() const;
  TooLong too_long() const;
  std::shared_ptr<const RememberingReader> model() const;
  std::optional<int64_t> number(const char* field) const;  // nothing where it was not given
};

// A word as it was asked for, by spelling or index, in the form find_word() takes.
std::string word_wish(const Json& asked);

// A text and one layer of a model that read it, with the head to be shown.
struct Scene {
  std::shared_ptr<const RememberingReader> model;
  Reading reading;
  HeadChoice head;
  std::unique_ptr<const KeptLayer> layer;
};

// Of the call's text, model, mask, layer and head. Throws std::invalid_argument for more than `most` tokens.
Scene set_scene(const Call& call, int64_t most);

// The head asked for, else the model's own, else the strongest within what was asked for; that takes T x T numbers, so
// throws std::invalid_argument for a text of many tokens.
HeadChoice choose_head(const Call& call, const Reader& model, const std::string& text, int64_t tokens);

// {model, mask, layer, head, chosen_by}
Json scene_json(const Scene& scene);

// The scene's head, while the scene lives.
lesson::HeadInput head_of(const Scene& scene);

void put_sentence(Json& json, const Reading& reading);     // tokens, words, gaps
Json words_json(const Reading& reading);                   // their spellings
Json tokens_json(const Reading& reading);                  // [{piece, word, special}]
std::vector<int32_t> token_words(const Reading& reading);  // the index of each token's word, -1: none

Json models_call(const Call& call);
Json look_call(const Call& call);
Json heads_call(const Call& call);
Json thumbnails_call(const Call& call);
Json grid_call(const Call& call);
Json map_call(const Call& call);
Json generate_call(const Call& call);
Json export_call(const Call& call);

Json preset_call(const Call& call);
Json recipe_call(const Call& call);
Json scaling_call(const Call& call);
Json tiles_call(const Call& call);
Json mistakes_call(const Call& call);
Json memory_call(const Call& call);
Json speed_call(const Call& call);
Json recurrent_call(const Call& call);
Json class_call(const Call& call);

}  // namespace limelight::studio
