// The message of what a call throws.
#pragma once

#include <string>

namespace limelight::testing {

// Of an Error; other exceptions go through to the test.
template <class Error, class Call>
std::string thrown(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

}  // namespace limelight::testing
