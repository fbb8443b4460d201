// The spotlight as a picture: one SVG file that needs nothing else, dark or light as the reader's system is.
#pragma once

#include <string>
#include <string_view>

#include "spotlight.h"

namespace limelight::studio {

// Text for XML and HTML: markup escaped, characters that XML forbids left out.
std::string escape_markup(std::string_view text);

// Arcs from the word to the words of the sentence, which wraps; a heat map for a grid. Throws
// std::invalid_argument for a grid of more than 128 words.
std::string spotlight_svg(const Spotlight& light);

}  // namespace limelight::studio
