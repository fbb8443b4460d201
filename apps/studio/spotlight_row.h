// One row of a spotlight: where a word, or several together, look.
#pragma once

#include <cstdint>
#include <vector>

#include "light.h"
#include "reading.h"
#include "spotlight.h"

namespace limelight::studio {

// A query's row in this head, its shares those of `units`; word and own are left empty. Throws FormatError for weights
// that are no numbers.
SpotlightRow merge_row(const HeadLight& light, const QueryLight& query, const std::vector<Unit>& units,
                       const std::vector<int64_t>& special, bool without_first);

// The mean of rows, at least one, which so adds to 1; blocked is what none of them sees.
SpotlightRow together(const std::vector<SpotlightRow>& rows);

}  // namespace limelight::studio
