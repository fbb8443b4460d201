// Files that are part of the program: the page, its contract, and what the lesson shows. tools/embed-files writes them.
#pragma once

#include <string_view>

namespace limelight::studio {

struct EmbeddedFile {
  std::string_view name;  // "page/index.html", "studio-api.schema.json"
  std::string_view etag;  // quoted, as HTTP has it
  std::string_view bytes;
  std::string_view gzip;  // the same, compressed
};

// Null where there is none.
const EmbeddedFile* find_embedded(std::string_view name);

}  // namespace limelight::studio
