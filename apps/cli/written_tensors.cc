// One line a tensor.
#include "written_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "table.h"

namespace limelight::cli {

void WrittenTensors::add(const std::string& name, Dtype dtype, std::vector<int64_t> shape, const void* data) {
  std::string type(dtype_name(dtype));
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::tolower(c); });
  writer_.add(name, dtype, shape, data);
  entries_.push_back({name, std::move(type), std::move(shape)});
}

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
