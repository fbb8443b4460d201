// The sentence and its light: arcs above it, arcs beside it word for word, or lit words in a paragraph.
#pragma once

#include <cstdint>
#include <string>

#include "studio/spotlight.h"
#include "terminal.h"

namespace limelight::cli {

// The sentence on one line with arcs from the word that looks; "" when it does not fit the width.
std::string arcs_above(const studio::Spotlight& light, const studio::SpotlightRow& row, const Terminal& terminal,
                       int64_t margin);

// One line a word, arcs at its left, its bar at its right, and the special tokens last.
std::string arcs_beside(const studio::Spotlight& light, const studio::SpotlightRow& row, const Terminal& terminal,
                        int64_t margin);

// The text in lines, the ground behind a word lit by its share.
std::string lit_paragraph(const studio::Spotlight& light, const studio::SpotlightRow& row, const Terminal& terminal,
                          int64_t margin, size_t begin, size_t end);

}  // namespace limelight::cli
