// Results over parts of the keys, made up at random, and their merge as a textbook writes it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "limelight/merge.h"
#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {

using Results = std::vector<AttentionResult>;

inline std::vector<AttentionPart> parts_of(const Results& results) {
  std::vector<AttentionPart> parts;
  for (const AttentionResult& r : results) parts.push_back({r.out, r.lse});
  return parts;
}

inline Tensor<float, 3> random_lse(const std::array<int64_t, 4>& sizes, Random& random, float spread) {
  Tensor<float, 3> lse({sizes[0], sizes[1], sizes[2]});
  std::normal_distribution<float> normal;
  for (int64_t n = 0; n < lse.count(); ++n) lse.data()[n] = spread * normal(random);
  return lse;
}

inline Results random_results(int64_t count, uint64_t seed, const std::array<int64_t, 4>& sizes = {2, 3, 5, 7},
                              float spread = 3) {
  Random random(seed);
  Results results;
  for (int64_t p = 0; p < count; ++p) {
    results.push_back({random_tensor(sizes, random), random_lse(sizes, random, spread)});
  }
  return results;
}

inline AttentionResult empty_result(const std::array<int64_t, 4>& sizes, float out = 0) {
  AttentionResult empty{Tensor<float, 4>(sizes), Tensor<float, 3>({sizes[0], sizes[1], sizes[2]})};
  std::fill_n(empty.out.data(), empty.out.count(), out);
  std::fill_n(empty.lse.data(), empty.lse.count(), -kInfinity);
  return empty;
}

inline AttentionResult clone(const AttentionResult& of) {
  return {of.out.clone(), of.lse.clone()};
}

// In double: lse = log sum exp(lse_p), out = sum exp(lse_p - lse) out_p; the numbers of all rows one after the other.
struct ExactPart {
  std::vector<double> out, lse;

  explicit ExactPart(const AttentionResult& of)
      : out(of.out.data(), of.out.data() + of.out.count()), lse(of.lse.data(), of.lse.data() + of.lse.count()) {}
  ExactPart(size_t out_count, size_t rows) : out(out_count, 0.0), lse(rows, -kInfinity) {}
};

inline ExactPart exact_merge(const std::vector<ExactPart>& parts) {
  ExactPart whole(parts[0].out.size(), parts[0].lse.size());
  const size_t columns = whole.out.size() / whole.lse.size();
  for (size_t row = 0; row < whole.lse.size(); ++row) {
    double largest = -kInfinity;
    double sum = 0;
    for (const ExactPart& part : parts) largest = std::max(largest, part.lse[row]);
    if (largest == -kInfinity) continue;
    for (const ExactPart& part : parts) sum += std::exp(part.lse[row] - largest);
    whole.lse[row] = largest + std::log(sum);
    for (const ExactPart& part : parts) {
      const double weight = std::exp(part.lse[row] - whole.lse[row]);
      for (size_t e = 0; e < columns; ++e) whole.out[row * columns + e] += weight * part.out[row * columns + e];
    }
  }
  return whole;
}

inline std::vector<ExactPart> exact_parts(const Results& results) {
  return {results.begin(), results.end()};
}

}  // namespace limelight::testing
