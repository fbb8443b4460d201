// Rotary frequencies stretched for longer contexts.
#include "model/rope_scaling.h"

#include <algorithm>
#include <numbers>

namespace limelight::detail {

void scale_linearly(std::vector<double>& frequencies, double factor) {
  for (double& f : frequencies) f /= factor;
}

void scale_like_llama3(std::vector<double>& frequencies, const Llama3Scaling& scaling) {
  for (double& f : frequencies) {
    const double turns = f * scaling.first_context / (2 * std::numbers::pi);
    const double kept = std::clamp((turns - scaling.low) / (scaling.high - scaling.low), 0.0, 1.0);
    f = kept * f + (1 - kept) * f / scaling.factor;
  }
}

}  // namespace limelight::detail
