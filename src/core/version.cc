// The version of this build, as CMake has it.
#include "limelight/runtime.h"

namespace limelight {

std::string version() {
  return LIMELIGHT_VERSION;
}

}  // namespace limelight
