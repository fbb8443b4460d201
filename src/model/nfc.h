// Canonical composition (NFC of UAX 15): letters and their marks become one code point where there is one.
#pragma once

#include "model/utf8.h"

namespace limelight::detail {

// A composed character spans all that it came from.
Characters compose_nfc(const Characters& text);

}  // namespace limelight::detail
