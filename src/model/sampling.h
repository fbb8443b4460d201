// The next token out of a model's logits: the largest, or one drawn under temperature, top-k and top-p.
#pragma once

#include <cstdint>
#include <span>

namespace limelight::detail {

// Of GenerationOptions what chooses a token, in their words.
struct Sampling {
  float temperature = 0;
  int64_t top_k = 0;
  float top_p = 1;
  uint64_t seed = 0;
};

// Throws std::invalid_argument, naming `where`, for what is out of range.
void check_sampling(const char* where, const Sampling& sampling);

// The id for the text's token number `number`, a function of the arguments alone: the random bits are philox(number,
// seed). What is cut away changes no draw but those it would have won. Minus infinity is never drawn; throws
// FormatError for logits with NaN or infinity, or without a number.
int32_t next_token(std::span<const float> logits, const Sampling& sampling, uint64_t number);

}  // namespace limelight::detail
