// The lesson's illustrative figures: small q, k, v from which the engine computes exactly these shares.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/recipe.h"

namespace limelight::lesson {

struct Preset {
  std::vector<std::string> words;
  int64_t query = 0;  // the word to look at
  Causal causal = Causal::kNone;
  Tensor<float, 4> q, k, v;  // [1,1,words,D]

  HeadInput head() const {
    HeadInput input{.q = q, .k = k, .v = v, .options = {}};
    input.options.causal = causal;
    return input;
  }
};

// "pronoun": it = 0.76 animal + 0.15 tired + 0.09 others. "animal_street": 0.85 animal, 0.02 street. "causal": the four
// rows of "The cat sat down", 100 / 30 70 / 10 65 25 / 5 35 45 15 percent. Throws std::invalid_argument for other
// names.
Preset preset(std::string_view name);

}  // namespace limelight::lesson
