// limelight models: which models are known, which are here, and what brings the others.
#include <memory>
#include <nlohmann/json.hpp>

#include "command_line.h"
#include "commands.h"
#include "models_folder.h"
#include "output.h"
#include "studio/unicode.h"
#include "table.h"

namespace limelight::cli {
namespace {

std::string as_table() {
  std::vector<std::vector<std::string>> cells = {{"model", "kind", "here", "writes", "command that brings it"}};
  for (const KnownModel& model : known_models()) {
    const bool present = is_present(model);
    cells.push_back({std::string(model.name), std::string(model.kind), present ? "yes" : "no",
                     model.writes ? "yes" : "no", fetch_command(model.name)});
  }
  return table(cells, "lllll") + "\nkept in " + studio::one_line(models_folder().native()) +
         "; the path of a Hugging Face folder or of a .gguf file serves as a name too\n";
}

std::string as_json() {
  auto list = nlohmann::ordered_json::array();
  for (const KnownModel& model : known_models()) {
    list.push_back({{"name", model.name},
                    {"kind", model.kind},
                    {"present", is_present(model)},
                    {"writes", model.writes},
                    {"folder", (models_folder() / model.name).string()},
                    {"command", fetch_command(model.name)}});
  }
  return list.dump(2) + "\n";
}

}  // namespace

void add_models(CommandLine& line) {
  const auto json = std::make_shared<bool>(false);
  line.add("models", "List the models that are known and say which are here", "limelight models",
           [json] { print(*json ? as_json() : as_table()); })
      .flag("--json", *json, "Print JSON");
}

}  // namespace limelight::cli
