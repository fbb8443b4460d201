// The library's "[function] " is letters, digits, "_" and "::" in brackets, and stands in front.
#include "wording.h"

namespace limelight::studio {
namespace {

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_of_name(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

}  // namespace

std::string_view without_function(std::string_view message) {
  if (!message.starts_with('[')) return message;
  size_t end = 1;
  while (end < message.size() && is_of_name(message[end])) ++end;
  return message.substr(end).starts_with("] ") ? message.substr(end + 2) : message;
}

std::string of_fields(std::string_view message) {
  std::string text(without_function(message));
  // What is advised stands behind all that is quoted, which is not to be changed.
  for (size_t at = text.rfind('"') + 1; (at = text.find(" --", at)) != std::string::npos; ++at) {
    if (at + 3 < text.size() && is_lower(text[at + 3])) text.erase(at + 1, 2);
  }
  return text;
}

}  // namespace limelight::studio
