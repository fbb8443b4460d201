// The one place that throws. Callers build the sentence; the kind of error is the function's name.
#pragma once

#include <cstdint>
#include <string>

#include "limelight/error.h"

namespace limelight::detail {

// std::invalid_argument, FileError, FormatError, Cancelled.
[[noreturn]] void fail_argument(const std::string& message);
[[noreturn]] void fail_file(const std::string& message);
[[noreturn]] void fail_format(const std::string& message);
[[noreturn]] void fail_cancelled(const std::string& message);

// "[2, 8, 128, 64]"
std::string shape_text(const int64_t* sizes, int64_t rank);

}  // namespace limelight::detail
