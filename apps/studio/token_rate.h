// How fast a text is written, told alike by the program and the studio.
#pragma once

#include "limelight/generation.h"

namespace limelight::studio {

// Tokens a second: each but the first, which comes with the prompt, takes a pass; a single one the whole time.
double tokens_per_second(const GenerationResult& result);

}  // namespace limelight::studio
