// Plain tables in columns, for pipes and for lists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace limelight::cli {

// A row is one line whatever is in its cells. Columns are as wide as their widest cell; `align` holds l or r for each.
// The first row is the heading.
std::string table(std::vector<std::vector<std::string>> rows, std::string_view align);

}  // namespace limelight::cli
