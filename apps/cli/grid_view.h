// The grid of all words: a row for each word that looks, a column for each word that is looked at.
#pragma once

#include <string>

#include "studio/spotlight.h"
#include "terminal.h"

namespace limelight::cli {

// On a terminal cells are lit by their share, in panels of columns where the grid is wider than the terminal; elsewhere
// a plain table of percentages.
std::string grid_view(const studio::Spotlight& light, const Terminal& terminal);

}  // namespace limelight::cli
