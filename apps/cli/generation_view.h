// A text being written, as it is shown: its stream, the line a watched token gets, and the words about it at the end.
#pragma once

#include <string>

#include "limelight/generation.h"
#include "studio/token_watch.h"
#include "terminal.h"

namespace limelight::cli {

// Text for a terminal: what would move its cursor or change its state is seen instead; for a pipe as it is.
std::string streamed(const Terminal& terminal, const std::string& text);

// "had            who 31.2 %  robot 20.1 %  was 8.0 %  first token 22.0 %"
std::string token_line(const Terminal& terminal, const studio::TokenLight& light);

// "24 tokens, 77.4 a second; 11 of the prompt in 0.05 s; ended by --max-tokens"
std::string summary(const GenerationResult& result, size_t prompt_tokens);

}  // namespace limelight::cli
