// The shortest decimal number that is this float and no other.
#include "grid_json.h"

#include <charconv>

namespace limelight::studio {

using Json = nlohmann::ordered_json;

Json number_json(float x) {
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, x);
  double number = 0;
  std::from_chars(text, written.ptr, number);
  return number;
}

Json list_json(std::span<const float> numbers) {
  Json list = Json::array();
  for (const float x : numbers) list.push_back(number_json(x));
  return list;
}

Json list_json(std::span<const float> numbers, std::span<const uint8_t> blocked) {
  Json list = Json::array();
  for (size_t n = 0; n < numbers.size(); ++n) list.push_back(blocked[n] != 0 ? Json() : number_json(numbers[n]));
  return list;
}

Json grid_json(const TensorView<const float, 2>& grid) {
  Json rows = Json::array();
  for (int64_t i = 0; i < grid.sizes[0]; ++i) {
    Json& row = rows.emplace_back(Json::array());
    for (int64_t j = 0; j < grid.sizes[1]; ++j) row.push_back(number_json(grid(i, j)));
  }
  return rows;
}

Json grid_json(const Tensor<float, 2>& grid, const Tensor<uint8_t, 2>& blocked) {
  Json rows = Json::array();
  const auto columns = static_cast<size_t>(grid.sizes()[1]);
  for (int64_t i = 0; i < grid.sizes()[0]; ++i) {
    rows.push_back(list_json({&grid(i, 0), columns}, {&blocked(i, 0), columns}));
  }
  return rows;
}

}  // namespace limelight::studio
