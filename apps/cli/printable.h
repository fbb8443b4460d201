// Text of others as a line of a terminal: nothing in it moves the cursor or turns the reading direction.
#pragma once

#include <string>
#include <string_view>

namespace limelight::cli {

// Control characters, those of reading direction too (UAX 9), become spaces, but for those in `kept`.
std::string printable(std::string_view text, std::u32string_view kept = {});

}  // namespace limelight::cli
