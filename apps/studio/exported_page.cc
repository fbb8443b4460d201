// Data stands in a script element that is no script; with '<' written as an escape no text of a user can end it.
#include "exported_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base64.h"
#include "core/error.h"
#include "embedded_files.h"
#include "limelight/runtime.h"
#include "spotlight_json.h"
#include "spotlight_row.h"

namespace limelight::studio {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostCells = (size_t{1} << 20) * 3 / 8;  // two bytes each, in base64: 1 MB
constexpr uint16_t kBlocked = 65535;

// The weight in 1/10,000 in the lower 14 bits; above them what its tenths of a percent, as shown, are beyond
// floor(weight / 10), plus 1.
uint16_t cell_of(const Share& share) {
  if (share.blocked) return kBlocked;
  const auto weight = static_cast<int64_t>(std::clamp(share.weight, 0.0, 1.0) * 10000 + 0.5);
  const int64_t beyond = std::clamp<int64_t>(share.permille - weight / 10 + 1, 0, 3);
  return static_cast<uint16_t>(weight | beyond << 14);
}

// Every word's row in every head, where that is not too much.
Json heads_json(const Reader& model, const Spotlight& light, Mask mask, const Run& run) {
  const Reading reading = read_text(model, light.text);
  std::vector<int64_t> rows;
  std::vector<Query> queries;
  for (size_t w = 0; w < reading.words.size(); ++w) {
    if (reading.words[w].tokens.empty()) continue;
    rows.push_back(static_cast<int64_t>(w));
    queries.push_back({rows.back(), reading.words[w].tokens});
  }
  const auto heads = static_cast<size_t>(model.facts().layers * model.facts().heads);
  if (heads * rows.size() * (reading.words.size() + 1) > kMostCells) return {};
  std::vector<uint16_t> cells;
  watch(model, reading.ids, queries, {.mask = mask, .run = run}, [&](const HeadLight& head) {
    for (const QueryLight& query : head.queries) {
      const SpotlightRow row = merge_row(head, query, reading.words, reading.special, false);
      for (const Share& share : row.shares) cells.push_back(cell_of(share));
      cells.push_back(cell_of(row.special));
    }
  });
  return {{"layers", model.facts().layers},
          {"heads", model.facts().heads},
          {"words", light.units},
          {"gaps", light.gaps},
          {"special_name", light.special},
          {"blocked_because", blocked_reasons_object()},
          {"rows", rows},
          {"cells", base64_of(cells)}};
}

// JSON that no '<' of a text can lead out of.
std::string script_json(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

ExportedPage exported_page(const Reader& model, const Spotlight& light, Mask mask, const Run& run,
                           std::optional<int64_t> pin) {
  constexpr size_t kMostInGrid = 128;
  constexpr std::string_view kPlace = "<!--limelight-data-->";
  if (light.grid && light.units.size() > kMostInGrid) {
    detail::fail_argument(fmt::format("text: a page of all words takes {} of them, found {}; choose one by --word",
                                      kMostInGrid, light.units.size()));
  }
  const auto units = static_cast<int64_t>(light.units.size());
  if (pin && (*pin < 0 || *pin >= units)) {
    detail::fail_argument(fmt::format("pin: expected from 0 to {}, found {}", units - 1, *pin));
  }
  const EmbeddedFile* page = find_embedded("page/export.html");
  const size_t place = page == nullptr ? std::string_view::npos : page->bytes.find(kPlace);
  if (place == std::string_view::npos) detail::fail_file("this program was built without its page; use --svg");
  // Rows of other heads are those of plain words; next to a row of anything else they would not be comparable.
  const bool plain = light.unit == UnitKind::kWord && !light.without_first && light.temperature == 1;
  const Json heads = plain ? heads_json(model, light, mask, run) : Json();
  Spotlight told = light;
  ExportedPage made;
  if (plain && heads.is_null()) {
    made.notes.push_back(
        fmt::format("the page keeps {} alone: all heads of a text of {} words would take more than 1 MB",
                    head_name(light.head.layer, light.head.head), light.units.size()));
    told.notes.push_back(made.notes.back());
  }
  const Json data = {{"engine", "limelight " + version()},
                     {"look", look_object(told)},
                     {"pin", !light.grid ? Json(light.rows.front().index)
                             : pin       ? Json(*pin)
                                         : Json()},
                     {"heads", heads}};
  made.html = fmt::format("{}<script type=\"application/json\" id=\"limelight-data\">{}</script>{}",
                          page->bytes.substr(0, place), script_json(data), page->bytes.substr(place + kPlace.size()));
  return made;
}

}  // namespace limelight::studio
