// One line a tensor.
#include "written_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "table.h"

namespace limelight::cli {

std::string WrittenTensors::as_table() const {
  std::vector<std::vector<std::string>> cells = {{"tensor", "type", "shape"}};
  for (const Entry& entry : entries_) {
    cells.push_back({entry.name, entry.type, fmt::format("[{}]", fmt::join(entry.shape, ", "))});
  }
  return table(cells, "lll");
}

std::string WrittenTensors::as_json() const {
  auto list = nlohmann::ordered_json::array();
  for (const Entry& entry : entries_)
    list.push_back({{"name", entry.name}, {"type", entry.type}, {"shape", entry.shape}});
  return list.dump(2) + "\n";
}

}  // namespace limelight::cli
