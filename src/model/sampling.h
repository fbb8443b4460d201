// The next token out of a model's logits: the largest, or one drawn under temperature, top-k and top-p.
#pragma once

#include <cstdint>
#include <span>

namespace limelight::detail {

// In this order: logits are divided by the temperature; the top_k largest are kept (of equal ones the lowest ids); of
// these the most likely whose probabilities, made to add to 1, first reach top_p.
struct Sampling {
  float temperature = 0;  // 0: greedy, the largest logit (of equal ones the lowest id)
  int64_t top_k = 0;      // 0: all
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
