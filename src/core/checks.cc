// The sentences of the checks at the door.
#include "core/checks.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "core/error.h"

namespace limelight::detail {
namespace {

std::string text_of(std::span<const int64_t> sizes) {
  return shape_text(sizes.data(), static_cast<int64_t>(sizes.size()));
}

// As shape_text(), with "any" for -1.
std::string pattern_text(std::span<const int64_t> sizes) {
  std::string text = "[";
  for (const int64_t size : sizes) {
    if (text.size() > 1) text += ", ";
    text += size < 0 ? "any" : std::to_string(size);
  }
  return text + "]";
}

}  // namespace

void refuse(std::string_view where, std::string_view field, std::string_view expected, std::string_view found) {
  std::string message = "[";
  message.append(where).append("] ").append(field);
  message.append(": expected ").append(expected).append(", found ").append(found);
  fail_argument(message);
}

std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", x);
  return text;
}

void check_range(std::string_view where, std::string_view field, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return;
  refuse(where, field, std::to_string(least) + " to " + std::to_string(most), std::to_string(value));
}

void check_sizes(std::string_view where, std::string_view field, std::span<const int64_t> expected,
                 std::span<const int64_t> found) {
  const auto fits = [](int64_t size, int64_t actual) { return size < 0 ? actual >= 0 : actual == size; };
  if (!std::equal(expected.begin(), expected.end(), found.begin(), found.end(), fits)) {
    refuse(where, field, pattern_text(expected), text_of(found));
  }
}

void check_memory(std::string_view where, std::string_view field, const void* data, std::span<const int64_t> sizes) {
  const auto negative = [](int64_t size) { return size < 0; };
  if (std::any_of(sizes.begin(), sizes.end(), negative)) refuse(where, field, "sizes of at least 0", text_of(sizes));
  // By each size: the product of a null view's sizes need not fit.
  const bool any = std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size > 0; });
  if (data == nullptr && any) refuse(where, field, "memory for " + text_of(sizes), "a null pointer");
}

}  // namespace limelight::detail
