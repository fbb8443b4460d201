// The files of the page as HTTP sends them: compressed, and not again to who has them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace limelight::studio {

// Nothing but the page's own files, no script or style inside markup, no other page around it.
inline constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

struct PageFile {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string_view body{};
  std::vector<std::pair<const char*, std::string>> headers{};
};

// `known`: the values of If-None-Match.
PageFile page_file(const std::string& path, const std::vector<std::string>& known, bool gzip);

}  // namespace limelight::studio
