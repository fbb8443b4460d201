// A path is the name of an embedded file or nothing; no file system is asked.
#include "page_files.h"

#include <algorithm>

#include "embedded_files.h"

namespace limelight::studio {
namespace {

std::string type_of(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {{".html", "text/html; charset=utf-8"},
                                                                      {".js", "text/javascript; charset=utf-8"},
                                                                      {".css", "text/css; charset=utf-8"},
                                                                      {".svg", "image/svg+xml"},
                                                                      {".json", "application/json"},
                                                                      {".png", "image/png"},
                                                                      {".ico", "image/x-icon"},
                                                                      {".woff2", "font/woff2"},
                                                                      {".webmanifest", "application/manifest+json"}};
  const auto found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& type) { return name.ends_with(type.first); });
  return std::string(found == std::end(kTypes) ? "text/plain; charset=utf-8" : found->second);
}

}  // namespace

PageFile page_file(const std::string& path, const std::vector<std::string>& known, bool gzip) {
  const EmbeddedFile* file = find_embedded("page" + (path == "/" ? "/index.html" : path));
  if (file == nullptr) {
    return {.status = 404,
            .body = path == "/" ? "this program was built without its page\n" : "there is no such file\n"};
  }
  PageFile answer{.type = type_of(file->name)};
  answer.headers = {{"ETag", std::string(file->etag)}, {"Cache-Control", "no-cache"}, {"Vary", "Accept-Encoding"}};
  if (std::any_of(known.begin(), known.end(),
                  [&](const std::string& tag) { return tag.find(file->etag) != std::string::npos; })) {
    answer.status = 304;
    return answer;
  }
  answer.body = gzip ? file->gzip : file->bytes;
  if (gzip) answer.headers.emplace_back("Content-Encoding", "gzip");
  return answer;
}

}  // namespace limelight::studio
