// A failure in the words of whoever is told: not the library function that found it, but what was asked for.
#pragma once

#include <string>
#include <string_view>

namespace limelight::studio {

// "[attention] q: expected ..." without the function it begins with.
std::string_view without_function(std::string_view message);

// The same for whoever calls the studio, where the program's "--cut" is the field "cut".
std::string of_fields(std::string_view message);

}  // namespace limelight::studio
