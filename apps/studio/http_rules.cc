// A page of another site can send requests here, and make its own name mean this machine: Host and Origin tell.
#include "http_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "answer.h"

namespace limelight::studio {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

// "127.0.0.1:8423", "localhost:8423" or "[::1]:8423", whatever the case.
bool is_own(const std::string& host, int port) {
  const std::string asked = lower(host);
  constexpr std::string_view kNames[] = {"127.0.0.1", "localhost", "[::1]"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return asked == fmt::format("{}:{}", name, port); });
}

bool is_json(const std::string& type) {
  const std::string lowered = lower(type.substr(0, type.find(';')));
  return lowered.substr(0, lowered.find_last_not_of(" \t") + 1) == "application/json";
}

std::optional<HttpRefusal> body_refusal(const HttpHead& head) {
  if (!head.transfer_encoding.empty()) return HttpRefusal{411, "a body needs a Content-Length"};
  if (!head.content_encoding.empty()) return HttpRefusal{415, "a body must come uncompressed"};
  if (head.content_length.empty()) return std::nullopt;
  const std::string& length = head.content_length.front();
  uint64_t bytes = 0;
  const auto [rest, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
  const bool digits = !length.empty() && rest == length.data() + length.size() && error != std::errc::invalid_argument;
  if (head.content_length.size() > 1 || !digits) return HttpRefusal{400, "Content-Length is no number of bytes"};
  if (error == std::errc() && bytes <= static_cast<uint64_t>(Limits::kBodyBytes)) return std::nullopt;
  return HttpRefusal{413, fmt::format("the body is larger than {} bytes", Limits::kBodyBytes)};
}

// Where the length is one number.
bool has_body(const HttpHead& head) {
  return !head.content_length.empty() && head.content_length.front().find_first_not_of('0') != std::string::npos;
}

}  // namespace

std::optional<HttpRefusal> refusal(const HttpHead& head, int port) {
  constexpr size_t kMostPath = 256;
  if (head.host.size() != 1 || !is_own(head.host.front(), port)) {
    return HttpRefusal{403, fmt::format("Host: expected 127.0.0.1:{}", port)};
  }
  for (const std::string& origin : head.origin) {
    constexpr std::string_view kScheme = "http://";
    if (lower(origin).starts_with(kScheme) && is_own(origin.substr(kScheme.size()), port)) continue;
    return HttpRefusal{403, "Origin: expected this server's own page"};
  }
  if (head.path.size() > kMostPath) return HttpRefusal{414, "the path is too long"};
  if (auto refused = body_refusal(head)) return refused;
  if (!head.path.starts_with("/api/")) {
    if (head.method != "GET" && head.method != "HEAD")
      return HttpRefusal{405, "a file of the page is asked for by GET"};
    // cpp-httplib reads no body of these, and would take it for the next request.
    if (has_body(head)) return HttpRefusal{400, "a file of the page is asked for without a body"};
    return std::nullopt;
  }
  for (const std::string& site : head.site) {
    if (site != "same-origin" && site != "none") return HttpRefusal{403, "only this server's own page may ask"};
  }
  if (head.method != "POST") return HttpRefusal{405, "a call is asked by POST"};
  if (head.content_length.empty()) return HttpRefusal{411, "a body needs a Content-Length"};
  if (head.content_type.size() != 1 || !is_json(head.content_type.front())) {
    return HttpRefusal{415, "Content-Type: expected application/json"};
  }
  return std::nullopt;
}

}  // namespace limelight::studio
