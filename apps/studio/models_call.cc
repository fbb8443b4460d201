// models: which may be asked for, and what the program is and allows.
#include <algorithm>

#include "call.h"
#include "limelight/runtime.h"

namespace limelight::studio {
namespace {

Json model_json(const ShelfModel& model) {
  Json json = {{"name", model.name},
               {"kind", model.kind},
               {"present", model.present()},
               {"writes", model.writes},
               {"command", model.command}};
  const auto [facts, damage] = model.known();
  json["damage"] = damage.empty() ? Json() : Json(damage);
  if (!facts) {
    for (const char* key : {"layers", "heads", "positions", "own_mask", "default_head"}) json[key] = nullptr;
    return json;
  }
  json["layers"] = facts->layers;
  json["heads"] = facts->heads;
  json["positions"] = std::min(facts->positions, Limits::kTokens);
  json["own_mask"] = mask_name(facts->own_mask);
  const auto head = known_head(*facts, {});
  json["default_head"] = head ? Json{{"layer", head->layer}, {"head", head->head}} : Json();
  return json;
}

}  // namespace

Json models_call(const Call& call) {
  const ModelShelf& shelf = call.studio.models;
  const std::optional<std::string> usual = shelf.usual();
  Json json = {{"version", version()},
               {"isa", active_isa()},
               {"threads", available_threads()},
               {"default_model", usual ? Json(*usual) : Json()},
               {"limits",
                {{"text_bytes", Limits::kTextBytes},
                 {"tokens", Limits::kTokens},
                 {"grid_tokens", Limits::kGridTokens},
                 {"lesson_tokens", Limits::kLessonTokens},
                 {"body_bytes", Limits::kBodyBytes},
                 {"seconds", Limits::kSeconds}}}};
  Json& models = json["models"] = Json::array();
  for (const ShelfModel& model : shelf.models()) models.push_back(model_json(model));
  return json;
}

}  // namespace limelight::studio
