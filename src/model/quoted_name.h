// A name from a file as a message may show it.
#pragma once

#include <string>
#include <string_view>

namespace limelight::detail {

// Quoted, one line, not endless.
std::string in_quotes(std::string_view name);

}  // namespace limelight::detail
