// Tensor types by the numbers GGUF files use, those that are read and the names of the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "limelight/quantised.h"

namespace limelight::detail {

std::optional<WeightType> find_tensor_type(uint64_t id);
std::string tensor_type_list();             // "F32, F16, BF16, ..." of those that are read
std::string tensor_type_text(uint64_t id);  // "Q5_K", or "number 99"

}  // namespace limelight::detail
