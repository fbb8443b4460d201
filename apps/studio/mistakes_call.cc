// mistakes: four of them on the reader's sentence, each beside the right way.
#include "call.h"
#include "grid_json.h"
#include "lesson/mistakes.h"

namespace limelight::studio {
namespace {

// `blocked` is null where a grid has a number in every cell.
Json way_json(const lesson::Way& way, const Tensor<uint8_t, 2>* blocked) {
  Json grid;
  if (way.grid) grid = blocked != nullptr ? grid_json(*way.grid, *blocked) : grid_json(*way.grid);
  return {{"grid", grid},
          {"row_sums", way.row_sums},
          {"shape", way.shape},
          {"error", way.error.empty() ? Json() : Json(way.error)}};
}

Json mistake_json(const char* name, const lesson::Mistake& mistake, const Json& figures) {
  return {{"name", name},
          {"right", way_json(mistake.right, &mistake.blocked)},
          {"wrong", way_json(mistake.wrong, nullptr)},
          {"figures", figures}};
}

Json mistakes_json(const lesson::HeadInput& head) {
  const auto late = lesson::mask_after_softmax(head);
  const auto unscaled = lesson::no_scaling(head);
  const auto turned = lesson::wrong_transpose(head);
  const auto filled = lesson::zero_fill(head);
  return {mistake_json("mask_after_softmax", late,
                       {{"smallest_row_sum", late.smallest_row_sum},
                        {"largest_row_sum", late.largest_row_sum},
                        {"leak", late.leak}}),
          mistake_json("no_scaling", unscaled,
                       {{"d_k", head.head_size()},
                        {"largest_score", unscaled.largest_score},
                        {"largest_scaled", unscaled.largest_scaled},
                        {"entropy_right", unscaled.entropy_right},
                        {"entropy_wrong", unscaled.entropy_wrong},
                        {"gradient_right", unscaled.gradient_right},
                        {"gradient_wrong", unscaled.gradient_wrong}}),
          mistake_json("wrong_transpose", turned,
                       {{"largest_difference", turned.largest_difference ? Json(*turned.largest_difference) : Json()}}),
          mistake_json("zero_fill", filled, {{"leak", filled.leak}, {"mean_leak", filled.mean_leak}})};
}

}  // namespace

Json mistakes_call(const Call& call) {
  const Scene scene = set_scene(call, Limits::kLessonTokens);
  Json json = scene_json(scene);
  json.erase("mask");  // a causal one is used, whatever the model's
  put_sentence(json, scene.reading);
  json["mistakes"] = mistakes_json(head_of(scene));
  json["notes"] = scene.reading.notes;
  return json;
}

}  // namespace limelight::studio
