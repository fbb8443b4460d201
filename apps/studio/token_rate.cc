// Reading the prompt is another work than writing, and not counted.
#include "token_rate.h"

namespace limelight::studio {

double tokens_per_second(const GenerationResult& result) {
  const auto count = static_cast<double>(result.ids.size());
  if (count == 0) return 0;
  return count > 1 && result.decode_seconds > 0 ? (count - 1) / result.decode_seconds
                                                : count / (result.prefill_seconds + result.decode_seconds);
}

}  // namespace limelight::studio
