// What a file that is not what it should be looks like, for messages.
#pragma once

#include <string>
#include <string_view>

namespace limelight::detail {

// "; it is a Git LFS pointer: ...", or "" where the first bytes tell nothing.
std::string file_hint(std::string_view start);

}  // namespace limelight::detail
