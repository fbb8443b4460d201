// Help on a terminal: descriptions keep to their column instead of breaking in the middle of a word.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace limelight::cli {

// Lines wider than `width` are broken between words where they have a description, which begins at `column`; others,
// as examples that are copied, stay whole.
std::string wrapped_help(std::string_view help, int64_t column, int64_t width);

}  // namespace limelight::cli
