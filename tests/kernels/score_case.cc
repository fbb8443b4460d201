// Fills a score group from a seed, and forms its scores one by one.
#include "tests/kernels/score_case.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>

#include "core/rounding.h"

namespace limelight::testing {

using detail::kKeyTile;
using detail::kScoreStride;

std::string ScoreShape::text() const {
  std::ostringstream text;
  text << rows << " rows, " << keys << " keys, depth " << depth << (causal ? ", causal" : "")
       << (slopes ? ", slopes" : "") << (bias ? ", bias" : "") << (mask ? ", mask" : "") << (keep ? ", keep" : "")
       << (products ? ", products" : "") << ", softcap " << softcap;
  return text.str();
}

std::vector<ScoreShape> score_shapes(const detail::Kernels& kernels) {
  const int64_t panel = kernels.panel, group = kernels.row_group;
  return {
      {1, 1, 1},
      {group, kKeyTile, 64},
      {group - 1, kernels.lanes + 1, 3, true},
      {group, panel + 3, 37, true},
      {2, 2 * panel - 1, 16, false, 3},
      {group, 301, 7, false, 0, true},
      {group - 1, 97, 5, true, 0, false, true},
      {group, 511, 4, false, 0, false, false, true},
      {group, 77, 20, false, 0, false, false, false, true},
      {group, 65, 33, true, 0, false, false, false, false, true},
      {group, 499, 19, true, 2, true, true, true, true, true},
  };
}

std::vector<float> random_floats(int64_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(count));
  for (float& x : values) x = normal(generator);
  return values;
}

ScoreCase::ScoreCase(const detail::Kernels& kernels, const ScoreShape& wanted, uint32_t seed)
    : shape(wanted),
      queries_(random_floats(shape.rows * shape.depth, seed)),
      keys_(random_floats(shape.keys * shape.depth, seed + 1)) {
  panels_.resize(static_cast<size_t>(detail::round_up(shape.keys, kernels.panel) * shape.depth));
  kernels.pack_panels(keys_.data(), shape.depth, 1, shape.keys, shape.depth, panels_.data());
  for (int32_t i = 0; i < static_cast<int32_t>(shape.rows); ++i) {
    const auto keys = static_cast<int32_t>(shape.keys);
    live_.push_back(shape.causal ? detail::KeyInterval{keys / 3, std::min(keys, keys / 3 + 7 * i)}
                                 : detail::KeyInterval{0, keys});
  }
  group.rows = shape.rows;
  group.depth = group.query_stride = shape.depth;
  group.queries = queries_.data();
  group.keys = panels_.data();
  group.live = live_.data();
  group.softcap = shape.softcap;
  add_options(seed + 2);
}

void ScoreCase::add_options(uint32_t seed) {
  const auto rows = static_cast<size_t>(shape.rows);
  bias_ = random_floats(shape.rows * kKeyTile, seed);
  keep_ = random_floats(shape.rows * kKeyTile, seed + 1);
  slopes_ = random_floats(shape.rows, seed + 2);
  for (float& slope : slopes_) slope *= 0.01f;
  mask_.resize(bias_.size());
  for (size_t n = 0; n < bias_.size(); ++n) {
    mask_[n] = n % 3 != 1;
    if (n % 11 == 5) bias_[n] = detail::kMinusInfinity;
    keep_[n] = n % 4 == 2 ? 0.0f : 1.25f;
  }
  for (size_t i = 0; i < rows; ++i) {
    distances_.push_back(-40 * static_cast<int32_t>(i));
    bias_rows_.push_back(bias_.data() + i * kKeyTile);
    mask_rows_.push_back(mask_.data() + i * kKeyTile);
    keep_rows_.push_back(keep_.data() + i * kKeyTile);
  }
  products_.resize(rows * kScoreStride);
  for (int64_t i = 0; i < shape.rows; ++i) {
    for (int64_t j = 0; j < shape.keys; ++j) products_[i * kScoreStride + j] = static_cast<float>(dot(i, j));
  }
  if (shape.slopes) group.slopes = slopes_.data(), group.distances = distances_.data();
  if (shape.bias) group.bias = bias_rows_.data();
  if (shape.mask) group.mask = mask_rows_.data();
  if (shape.keep) group.keep = keep_rows_.data();
  if (shape.products) group.products = products_.data();
}

double ScoreCase::dot(int64_t i, int64_t j) const {
  double sum = 0;
  for (int64_t d = 0; d < shape.depth; ++d) {
    sum += static_cast<double>(queries_[i * shape.depth + d]) * static_cast<double>(keys_[j * shape.depth + d]);
  }
  return sum;
}

bool ScoreCase::masked(int64_t i, int64_t j) const {
  const size_t at = i * kKeyTile + j;
  return j < live_[i].begin || j >= live_[i].end || (shape.mask && mask_[at] == 0) ||
         (shape.bias && bias_[at] == detail::kMinusInfinity);
}

double ScoreCase::score(int64_t i, int64_t j) const {
  if (masked(i, j)) return -std::numeric_limits<double>::infinity();
  double s = dot(i, j);
  if (shape.softcap > 0) s = shape.softcap * std::tanh(s / shape.softcap);
  if (shape.slopes) s += slopes_[i] * static_cast<double>(distances_[i] + j);
  return shape.bias ? s + bias_[i * kKeyTile + j] : s;
}

double ScoreCase::keep(int64_t i, int64_t j) const {
  return shape.keep ? keep_[i * kKeyTile + j] : 1;
}

double ScoreCase::softcap_slope(int64_t i, int64_t j) const {
  if (shape.softcap == 0) return 1;
  const double t = std::tanh(dot(i, j) / shape.softcap);
  return 1 - t * t;
}

}  // namespace limelight::testing
