// look, heads, export: what the command line gives too, with what a page needs besides.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "call.h"
#include "core/error.h"
#include "exported_page.h"
#include "head_ranking.h"
#include "spotlight_csv.h"
#include "spotlight_json.h"
#include "spotlight_svg.h"

namespace limelight::studio {
namespace {

std::vector<std::string> words_of(const Call& call) {
  const auto word = call.asked.find("word");
  if (word == call.asked.end()) return {};
  if (!word->is_array()) return {word_wish(*word)};
  std::vector<std::string> words;
  for (const Json& one : *word) words.push_back(word_wish(one));
  return words;
}

Spotlight look(const Call& call, const Reader& model) {
  constexpr size_t kMostInGrid = 256;  // an object a pair: some megabytes of JSON
  SpotlightOptions options{.words = words_of(call),
                           .layer = call.number("layer"),
                           .head = call.number("head"),
                           .mask = call.mask(),
                           .unit = call.asked.value("pieces", false) ? UnitKind::kPiece : UnitKind::kWord,
                           .without_first = call.asked.value("without_first", false),
                           .temperature = call.asked.value("temperature", 1.0),
                           .too_long = call.too_long(),
                           .most_in_grid = kMostInGrid,
                           .run = call.run};
  if (const auto find = call.asked.find("find"); find != call.asked.end()) {
    if (options.head) detail::fail_argument("find: expected without head, found with it");
    if (options.words.empty()) detail::fail_argument("find: expected with a word that looks, found without");
    options.find = word_wish(*find);
  }
  return spotlight(model, call.text(), options);
}

// "limelight-it-L5H11.svg": letters and digits of the word, whatever its script, so that no file name is another path.
std::string file_name(const Spotlight& light, const std::string& format) {
  std::string word = light.grid ? "all" : light.rows.front().word;
  std::erase_if(word, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x80 && std::isalnum(byte) == 0;
  });
  const std::string heat = light.temperature == 1 ? "" : fmt::format("-temperature{}", light.temperature);
  return fmt::format("limelight-{}-L{}H{}{}.{}", word.empty() ? "word" : word, light.head.layer, light.head.head, heat,
                     format);
}

}  // namespace

Json look_call(const Call& call) {
  return look_object(look(call, *call.model()));
}

Json heads_call(const Call& call) {
  const HeadRanking ranking = rank_heads(*call.model(), call.text(),
                                         {.from = word_wish(call.asked.at("from")),
                                          .to = word_wish(call.asked.at("to")),
                                          .mask = call.mask(),
                                          .too_long = call.too_long(),
                                          .run = call.run});
  const auto word = [](const RankedWord& w) { return Json{{"word", w.word}, {"index", w.index}}; };
  Json json = {{"model", ranking.model},
               {"mask", mask_name(ranking.mask)},
               {"from", word(ranking.from)},
               {"to", word(ranking.to)},
               {"blocked", ranking.blocked}};
  json["heads"] = Json::parse(head_ranking_json(ranking));
  json["notes"] = ranking.notes;
  return json;
}

Json export_call(const Call& call) {
  struct Format {
    const char* type;
    std::string (*write)(const Spotlight&);
  };
  static const std::map<std::string, Format> formats = {{"html", {"text/html", nullptr}},
                                                        {"svg", {"image/svg+xml", spotlight_svg}},
                                                        {"csv", {"text/csv", spotlight_csv}},
                                                        {"json", {"application/json", spotlight_json}}};
  const auto model = call.model();
  const std::string name = call.asked.at("format");
  const Spotlight light = look(call, *model);
  const auto [type, write] = formats.at(name);
  return {{"format", name},
          {"name", file_name(light, name)},
          {"type", type},
          {"content", write != nullptr ? write(light)
                                       : exported_page(*model, light, call.mask(), call.run, call.number("pin")).html}};
}

}  // namespace limelight::studio
