// Element types by the names safetensors files use.
// The table of names and sizes stands in dtype.cc alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "limelight/safetensors.h"

namespace limelight::detail {

std::optional<Dtype> find_dtype(std::string_view name);
std::string dtype_list();  // "BOOL, U8, I8, ..." for messages

}  // namespace limelight::detail
