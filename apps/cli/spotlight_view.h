// One word's spotlight as text: the sentence with arcs and bars on a terminal, a plain table elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "studio/spotlight.h"
#include "terminal.h"

namespace limelight::cli {

// Wrapped between words to the terminal's width, lines after the first indented.
std::string wrapped(const std::string& text, int64_t width, int64_t indent);

// `top` shows only so many words, the strongest, and the sum of the others.
std::string spotlight_view(const studio::Spotlight& light, const Terminal& terminal, std::optional<int64_t> top);

}  // namespace limelight::cli
