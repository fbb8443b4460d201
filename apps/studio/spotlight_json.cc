// Keys keep the order they are written in.
#include "spotlight_json.h"

#include <nlohmann/json.hpp>

namespace limelight::studio {
namespace {

using Json = nlohmann::ordered_json;

double percent(const Share& share) {
  return static_cast<double>(share.permille) / 10;
}

void put_row(Json& json, const Spotlight& light, const SpotlightRow& row) {
  json["query"] = {{"word", row.word}, {"index", row.index}};
  if (!row.indices.empty()) json["query"]["indices"] = row.indices;
  Json& list = json["row"] = Json::array();
  for (size_t i = 0; i < row.shares.size(); ++i) {
    const Share& share = row.shares[i];
    list.push_back({{"word", light.units[i]},
                    {"index", i},
                    {"weight", share.weight},
                    {"percent", share.lit() ? Json(percent(share)) : Json()},
                    {"blocked", share.blocked}});
    if (share.blocked) list.back()["blocked_because"] = blocked_reason(row, i);
    if (light.without_first) list.back()["left_out"] = share.left_out;
  }
  json["special"] = row.special.weight;
  json["special_percent"] = percent(row.special);
  json["entropy"] = row.entropy;
  json["lse"] = row.lse ? Json(*row.lse) : Json();
  if (light.first_word.empty() || row.first.blocked) return;
  json["first_token"] = {{"word", light.first_word}, {"weight", row.first.weight}, {"percent", percent(row.first)}};
}

Json vectors_object(const HeadVectors& vectors) {
  Json json = {{"scale", vectors.scale}, {"queries", Json::array()}, {"keys", Json::array()}};
  const auto put = [](Json& list, const TokenVectors& token, const char* before, const char* name) {
    Json& one = list.emplace_back(Json{{"token", token.token}, {"piece", token.piece}});
    if (!token.before_rope.empty()) one[before] = token.before_rope;
    one[name] = token.query_or_key;
    if (!token.value.empty()) one["v"] = token.value;
  };
  for (const TokenVectors& token : vectors.queries) put(json["queries"], token, "q_before_rope", "q");
  for (const TokenVectors& token : vectors.keys) put(json["keys"], token, "k_before_rope", "k");
  return json;
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

nlohmann::ordered_json spotlight_object(const Spotlight& light) {
  Json json;
  json["model"] = light.model;
  json["mask"] = mask_name(light.mask);
  json["layer"] = light.head.layer;
  json["head"] = light.head.head == kAllHeads ? Json() : Json(light.head.head);
  json["chosen_by"] = light.head.chosen_by;
  json["text"] = light.text;
  if (light.without_first) json["without_first"] = true;
  if (light.temperature != 1) json["temperature"] = light.temperature;
  if (!light.grid) {
    put_row(json, light, light.rows.front());
    if (light.vectors) json["vectors"] = vectors_object(*light.vectors);
    return json;
  }
  json["words"] = light.units;
  Json& grid = json["grid"] = Json::array();
  for (const SpotlightRow& row : light.rows) put_row(grid.emplace_back(), light, row);
  return json;
}

std::string spotlight_json(const Spotlight& light) {
  return dump(spotlight_object(light));
}

nlohmann::ordered_json look_object(const Spotlight& light) {
  Json json = spotlight_object(light);
  json["gaps"] = light.gaps;
  json["special_name"] = light.special;
  json["sum"] = light.grid ? Json() : Json(weighted_sum(light, light.rows.front()));
  json["tokens"] = light.tokens;
  json["temperature"] = light.temperature;
  json["notes"] = light.notes;
  return json;
}

nlohmann::ordered_json blocked_reasons_object() {
  return {{"earlier", blocked_reason(1, 0)}, {"later", blocked_reason(0, 1)}};
}

std::string head_ranking_json(const HeadRanking& ranking) {
  Json list = Json::array();
  for (const RankedHead& ranked : ranking.heads) {
    list.push_back(
        {{"layer", ranked.layer}, {"head", ranked.head}, {"weight", ranked.weight}, {"blocked", ranked.blocked}});
  }
  return dump(list);
}

std::string tokens_json(std::string_view text, const std::vector<Token>& tokens) {
  Json list = Json::array();
  int64_t at = 0, points = 0;  // tokens come in reading order: count on from the last one
  for (const Token& token : tokens) {
    const auto point_of = [&](int64_t byte) {
      if (byte < at) return code_points(text, byte);
      points += code_points(text.substr(static_cast<size_t>(at)), byte - at);
      at = byte;
      return points;
    };
    const bool unseen = token.special && token.span == Span{};
    const int64_t start = unseen ? 0 : point_of(token.span.begin);
    const int64_t end = unseen ? 0 : point_of(token.span.end);
    list.push_back(
        {{"id", token.id}, {"piece", token.piece}, {"start", start}, {"end", end}, {"special", token.special}});
  }
  return dump(list);
}

}  // namespace limelight::studio
