// What Limelight throws: std::invalid_argument for a bad argument, and the three kinds below.
// Every message is one line that names the function or file, the field, what was expected and what was found.
#pragma once

#include <stdexcept>

namespace limelight {

// A file that cannot be opened, read, written or renamed.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that was read but does not hold what its format promises.
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Work that a progress callback asked to stop. Outputs are then unspecified, inputs untouched.
struct Cancelled : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace limelight
