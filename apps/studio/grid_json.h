// Small grids as JSON: lists of lists, null where blocked; floats in as few digits as tell them apart.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "limelight/tensor.h"

namespace limelight::studio {

nlohmann::ordered_json number_json(float x);
nlohmann::ordered_json list_json(std::span<const float> numbers);
nlohmann::ordered_json list_json(std::span<const float> numbers, std::span<const uint8_t> blocked);
nlohmann::ordered_json grid_json(const TensorView<const float, 2>& grid);
nlohmann::ordered_json grid_json(const Tensor<float, 2>& grid, const Tensor<uint8_t, 2>& blocked);

}  // namespace limelight::studio
