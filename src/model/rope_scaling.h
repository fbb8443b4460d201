// Rotary frequencies stretched for longer contexts than a model was first trained on.
#pragma once

#include <vector>

namespace limelight::detail {

// All of them divided: positions are squeezed. (Chen et al. 2023, arXiv 2306.15595)
void scale_linearly(std::vector<double>& frequencies, double factor);

// Llama 3's: waves that turn less than `low` times within the first context are stretched by `factor`, those that turn
// more than `high` times are kept, and those between are blended. (Grattafiori et al. 2024, arXiv 2407.21783, 3.4.1)
struct Llama3Scaling {
  double factor = 8, low = 1, high = 4;
  double first_context = 8192;
};
void scale_like_llama3(std::vector<double>& frequencies, const Llama3Scaling& scaling);

}  // namespace limelight::detail
