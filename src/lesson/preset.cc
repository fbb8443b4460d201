// Keys that are unit vectors make a score any number we like: q_j = sqrt(D) log(share of key j), so softmax gives back
// the shares. Values are unit vectors too, so the blend shows them again.
#include "lesson/preset.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace limelight::lesson {
namespace {

using Words = std::vector<std::string>;

void set_row(Preset& preset, int64_t query, const std::vector<double>& shares) {
  const double scale = std::sqrt(static_cast<double>(preset.q.sizes()[3]));
  for (size_t d = 0; d < shares.size(); ++d) {
    preset.q(0, 0, query, static_cast<int64_t>(d)) = static_cast<float>(scale * std::log(shares[d]));
  }
}

Preset sized(Words words, int64_t query, Causal causal, int64_t depth) {
  const auto count = static_cast<int64_t>(words.size());
  const std::array<int64_t, 4> sizes = {1, 1, count, depth};
  return {std::move(words), query, causal, Tensor<float, 4>(sizes), Tensor<float, 4>(sizes), Tensor<float, 4>(sizes)};
}

// In the lesson's sentence without its full stop, "it" gives `first` and `second` to two words, and what is left in
// equal parts to the others. Every other word looks at all alike: its query is 0.
Preset pronoun(int64_t first_word, double first, int64_t second_word, double second) {
  constexpr int64_t kIt = 7, kWords = 11;
  Preset preset = sized({"The", "animal", "didn't", "cross", "the", "street", "because", "it", "was", "too", "tired"},
                        kIt, Causal::kNone, 3);
  for (int64_t j = 0; j < kWords; ++j) {
    const int64_t kind = j == first_word ? 0 : j == second_word ? 1 : 2;
    preset.k(0, 0, j, kind) = preset.v(0, 0, j, kind) = 1;
  }
  set_row(preset, kIt, {first, second, (1 - first - second) / (kWords - 2)});
  return preset;
}

Preset cat() {
  Preset preset = sized({"The", "cat", "sat", "down"}, 3, Causal::kBottomRight, 4);
  for (int64_t j = 0; j < 4; ++j) preset.k(0, 0, j, j) = preset.v(0, 0, j, j) = 1;
  // Up to itself a word's shares; later words have scores too, which the mask must hide.
  const std::vector<double> rows[] = {
      {0.40, 0.70, 0.25, 0.55}, {0.30, 0.70, 0.45, 0.20}, {0.10, 0.65, 0.25, 0.50}, {0.05, 0.35, 0.45, 0.15}};
  for (int64_t i = 0; i < 4; ++i) set_row(preset, i, rows[i]);
  return preset;
}

}  // namespace

Preset preset(std::string_view name) {
  constexpr int64_t kAnimal = 1, kStreet = 5, kTired = 10;
  if (name == "pronoun") return pronoun(kAnimal, 0.76, kTired, 0.15);
  if (name == "animal_street") return pronoun(kAnimal, 0.85, kStreet, 0.02);
  if (name == "causal") return cat();
  detail::fail_argument("[preset] name: expected pronoun, animal_street or causal, found " + std::string(name));
}

}  // namespace limelight::lesson
