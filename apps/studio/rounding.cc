// The largest remainder method (Hamilton 1792).
#include "rounding.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace limelight::studio {

std::vector<int64_t> largest_remainder(std::span<const double> shares, int64_t total) {
  std::vector<int64_t> whole(shares.size());
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (!(sum > 0)) return whole;
  std::vector<double> remainder(shares.size());
  int64_t missing = total;
  for (size_t i = 0; i < shares.size(); ++i) {
    const double exact = shares[i] / sum * static_cast<double>(total);
    whole[i] = static_cast<int64_t>(std::floor(exact));
    remainder[i] = exact - std::floor(exact);
    missing -= whole[i];
  }
  std::vector<size_t> order(shares.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return remainder[a] > remainder[b]; });
  for (size_t i = 0; i < order.size() && missing > 0; ++i, --missing) ++whole[order[i]];
  return whole;
}

}  // namespace limelight::studio
