// The spotlight as a page in one file: it works from disk, asks nobody for anything, and keeps the pinned word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spotlight.h"

namespace limelight::studio {

struct ExportedPage {
  std::string html{};
  std::vector<std::string> notes{};  // on it, about what it does not keep
};

// web/dist/export.html with its data put in, as docs/studio-api.md has it: the spotlight, and where they are not too
// many the rows of all heads, for which the model is run again under `mask`. A grid opens with the unit `pin`. Throws
// std::invalid_argument for a grid of more than 128 words, and for a pin that is none of them.
ExportedPage exported_page(const Reader& model, const Spotlight& light, Mask mask, const Run& run,
                           std::optional<int64_t> pin = std::nullopt);

}  // namespace limelight::studio
