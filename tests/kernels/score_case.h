// Random rows, keys and options of one score group, and its scores by a plain loop in double.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/kernels.h"

namespace limelight::testing {

// Sizes and options of a score group; odd sizes leave rests of vectors, panels and row groups.
struct ScoreShape {
  int64_t rows = 1, keys = 1, depth = 1;
  bool causal = false;  // row i sees a few keys more than row i - 1, and none of the first ones
  float softcap = 0;
  bool slopes = false, bias = false, mask = false, keep = false, products = false;

  std::string text() const;
};

// The shapes that the laws are tried on: every option alone, and all together.
std::vector<ScoreShape> score_shapes(const detail::Kernels& kernels);

std::vector<float> random_floats(int64_t count, uint32_t seed);

// Owns what `group` points to.
class ScoreCase {
 public:
  ScoreCase(const detail::Kernels& kernels, const ScoreShape& shape, uint32_t seed);
  ScoreCase(const ScoreCase&) = delete;
  ScoreCase& operator=(const ScoreCase&) = delete;

  const ScoreShape shape;
  detail::ScoreGroup group;

  // What s = q.k, softcap, slopes, bias and masks make of row i and key j; minus infinity where masked.
  double score(int64_t i, int64_t j) const;
  bool masked(int64_t i, int64_t j) const;
  double keep(int64_t i, int64_t j) const;           // the dropout factor, 1 without
  double softcap_slope(int64_t i, int64_t j) const;  // 1 - tanh^2, 1 without

 private:
  double dot(int64_t i, int64_t j) const;
  void add_options(uint32_t seed);

  std::vector<float> queries_, keys_, panels_, products_, slopes_, bias_, keep_;
  std::vector<uint8_t> mask_;
  std::vector<int32_t> distances_;
  std::vector<detail::KeyInterval> live_;
  std::vector<const float*> bias_rows_, keep_rows_;
  std::vector<const uint8_t*> mask_rows_;
};

}  // namespace limelight::testing
