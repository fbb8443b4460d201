// One row of a spotlight: where a word, or several together, look.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "light.h"
#include "reading.h"
#include "spotlight.h"

namespace limelight::studio {

// The unit that the first token of the text is in; none where it is a special one.
std::optional<size_t> unit_of_first_token(const std::vector<Unit>& units);

// A query's row in this head, its shares those of `units`; word and own are left empty. Throws FormatError for weights
// that are no numbers.
SpotlightRow merge_row(const HeadLight& light, const QueryLight& query, const std::vector<Unit>& units,
                       const std::vector<int64_t>& special, bool without_first);

// The mean of rows, at least one, which so adds to 1; blocked is what none of them sees.
SpotlightRow together(const std::vector<SpotlightRow>& rows, std::optional<size_t> first_unit);

}  // namespace limelight::studio
