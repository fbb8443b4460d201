// The slopes of ALiBi (Press et al. 2022, arXiv 2108.12409) for any number of heads.
#include <bit>
#include <cmath>
#include <iterator>

#include "core/checks.h"
#include "limelight/attention.h"

namespace limelight {

std::vector<float> alibi_slopes(int64_t heads) {
  detail::check_range("alibi_slopes", "heads", heads, 0, int64_t{1} << 20);
  const int64_t power = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  std::vector<float> slopes;
  for (int64_t h = 1; h <= power; ++h) slopes.push_back(std::exp2(-8.0f * h / power));
  for (int64_t h = 1; std::ssize(slopes) < heads; h += 2) slopes.push_back(std::exp2(-4.0f * h / power));
  return slopes;
}

}  // namespace limelight
