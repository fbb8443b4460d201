// Whole numbers one after the other, as a lens request wants rows.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace limelight::detail {

// begin, begin + 1, up to end - 1; end at least begin.
inline std::vector<int64_t> consecutive(int64_t begin, int64_t end) {
  std::vector<int64_t> numbers(static_cast<size_t>(end - begin));
  std::iota(numbers.begin(), numbers.end(), begin);
  return numbers;
}

}  // namespace limelight::detail
