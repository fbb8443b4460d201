// The one place that throws.
#include "core/error.h"

#include <stdexcept>

namespace limelight::detail {

void fail_argument(const std::string& message) {
  throw std::invalid_argument(message);
}
void fail_file(const std::string& message) {
  throw FileError(message);
}
void fail_format(const std::string& message) {
  throw FormatError(message);
}
void fail_cancelled(const std::string& message) {
  throw Cancelled(message);
}

std::string shape_text(const int64_t* sizes, int64_t rank) {
  std::string text = "[";
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(sizes[axis]);
  }
  return text + "]";
}

}  // namespace limelight::detail
