// The spotlight as a page: one HTML file that asks no other host for anything.
#pragma once

#include <string>

#include "spotlight.h"

namespace limelight::studio {

// The picture, the weighted sum and the table of shares, dark or light as the reader's system is.
std::string spotlight_html(const Spotlight& light);

}  // namespace limelight::studio
