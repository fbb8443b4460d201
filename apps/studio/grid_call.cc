// grid and thumbnails: one head in full, and all heads small.
#include <algorithm>

#include "base64.h"
#include "call.h"
#include "core/error.h"
#include "live_pairs.h"
#include "spotlight_json.h"

namespace limelight::studio {
namespace {

UnitKind unit_kind(const std::string& name) {
  if (name == "tokens") return UnitKind::kToken;
  return name == "pieces" ? UnitKind::kPiece : UnitKind::kWord;
}

void put_numbers(Json& json, const Spotlight& light) {
  const size_t units = light.units.size();
  std::vector<float> weights(units * units, kBlockedFloat), special(units, kBlockedFloat),
      entropy(units, kBlockedFloat);
  for (const SpotlightRow& row : light.rows) {
    const auto at = static_cast<size_t>(row.index);
    for (size_t u = 0; u < units; ++u) {
      if (!row.shares[u].blocked) weights[at * units + u] = static_cast<float>(row.shares[u].weight);
    }
    special[at] = static_cast<float>(row.special.weight);
    entropy[at] = static_cast<float>(row.entropy);
  }
  json["weights"] = base64_of(weights);
  json["special"] = base64_of(special);
  json["entropy"] = base64_of(entropy);
}

}  // namespace

Json grid_call(const Call& call) {
  const auto model = call.model();
  const std::string unit = call.asked.value("unit", "words"), text = call.text();
  const auto tokens = static_cast<int64_t>(read_text(*model, text, call.too_long()).ids.size());
  if (tokens > Limits::kGridTokens) {
    detail::fail_argument("text: expected at most " + std::to_string(Limits::kGridTokens) + " tokens, found " +
                          std::to_string(tokens));
  }
  const Spotlight light = spotlight(*model, text,
                                    {.layer = call.number("layer"),
                                     .head = call.number("head"),
                                     .mask = call.mask(),
                                     .unit = unit_kind(unit),
                                     .temperature = call.asked.value("temperature", 1.0),
                                     .too_long = call.too_long(),
                                     .run = call.run});
  Json json = {{"model", light.model},
               {"mask", mask_name(light.mask)},
               {"layer", light.head.layer},
               {"head", light.head.head},
               {"chosen_by", light.head.chosen_by},
               {"unit", unit},
               {"tokens", light.tokens},
               {"units", light.units},
               {"gaps", light.gaps}};
  put_numbers(json, light);
  json["blocked_because"] = blocked_reasons_object();
  json["special_name"] = light.special;
  json["temperature"] = light.temperature;
  json["notes"] = light.notes;
  return json;
}

Json thumbnails_call(const Call& call) {
  const auto model = call.model();
  const Reading reading = read_text(*model, call.text(), call.too_long());
  const auto tokens = static_cast<int64_t>(reading.ids.size());
  const int64_t side = std::min(call.asked.value("side", int64_t{16}), tokens);
  const std::string pool = call.asked.value("pool", "max");
  Json json = {{"model", model->facts().name}};
  std::vector<float> cells;
  ReadOptions options{.causal = causal_of(call.mask()), .layers = model->facts().layers, .run = call.run};
  options.observer = [&](const LayerAttention& seen) {
    json["mask"] = mask_name(seen.options.causal);
    const LensResult lens = look(seen.q, seen.k, seen.options, {.heatmap = side});
    const auto pairs = live_pairs(seen.q, seen.k, seen.options, {{0, tokens}, {0, tokens}, side, side});
    const Tensor<float, 4>& pooled = pool == "max" ? lens.heatmap_max : lens.heatmap_sum;
    for (int64_t at = 0; at < pooled.count(); ++at) {
      const auto live = static_cast<float>(pairs[static_cast<size_t>(at) % pairs.size()]);
      cells.push_back(live == 0 ? kBlockedFloat : pool == "max" ? pooled.data()[at] : pooled.data()[at] / live);
    }
  };
  model->read(reading.ids, options);
  json["layers"] = model->facts().layers;
  json["heads"] = model->facts().heads;
  json["tokens"] = tokens;
  json["side"] = side;
  json["pool"] = pool;
  json["cells"] = base64_of(cells);
  json["notes"] = reading.notes;
  return json;
}

}  // namespace limelight::studio
