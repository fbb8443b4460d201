// Shares as whole numbers that add up: the largest remainder method, so that shown percentages sum to exactly 100.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace limelight::studio {

// Whole numbers in the proportion of `shares` (finite, not negative) that add to `total`: each share is rounded down,
// then the largest remainders get one more, the earlier first where they are equal. All 0 when the shares are.
std::vector<int64_t> largest_remainder(std::span<const double> shares, int64_t total);

}  // namespace limelight::studio
