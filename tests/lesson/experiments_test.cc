// The experiments: scaling against theory, the recurrent chain against central differences, presets, the plain way.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "lesson/plain.h"
#include "lesson/preset.h"
#include "lesson/recurrent.h"
#include "lesson/row_measures.h"
#include "lesson/scaling.h"
#include "limelight/error.h"
#include "tests/lesson/heads.h"

namespace limelight::lesson {
namespace {

TEST(Scaling, DeviationOfScoresIsTheRootOfTheSizeAndOneWhenDivided) {
  for (const int64_t size : {4, 64, 1024}) {
    const ScalingFigures figures = scaling_figures(size, 256, 42);
    EXPECT_NEAR(figures.scaled.deviation, 1, 0.1);
    EXPECT_NEAR(figures.unscaled.deviation / std::sqrt(static_cast<double>(size)), 1, 0.1);
  }
}

TEST(Scaling, WithoutTheDivisionEntropyAndGradientVanishAsTheSizeGrows) {
  ScalingFigures before = scaling_figures(4, 16, 42);
  for (const int64_t size : {16, 64, 256, 1024}) {
    const ScalingFigures figures = scaling_figures(size, 16, 42);
    EXPECT_LT(figures.unscaled.entropy, before.unscaled.entropy);
    EXPECT_LT(figures.unscaled.gradient, before.unscaled.gradient);
    EXPECT_GT(figures.unscaled.largest, before.unscaled.largest);
    EXPECT_NEAR(figures.scaled.entropy, before.scaled.entropy, 0.35);
    before = figures;
  }
  EXPECT_GT(before.scaled.gradient, 4 * before.unscaled.gradient);
}

TEST(Scaling, IsAFunctionOfTheSeedAndRefusesSizesOutOfRange) {
  EXPECT_EQ(scaling_figures(8, 4, 7).scaled.entropy, scaling_figures(8, 4, 7).scaled.entropy);
  EXPECT_NE(scaling_figures(8, 4, 7).scaled.entropy, scaling_figures(8, 4, 8).scaled.entropy);
  EXPECT_NEAR(scaling_figures(8, 1, 7).scaled.entropy, 0, 1e-12) << "one key has all";
  for (const int64_t size : {0, -1, 1025}) EXPECT_THROW(scaling_figures(size, 4, 1), std::invalid_argument);
  for (const int64_t keys : {0, 257}) EXPECT_THROW(scaling_figures(8, keys, 1), std::invalid_argument);
}

TEST(Draw, NumbersAreNormal) {
  double sum = 0, squares = 0;
  constexpr int kCount = 20000;
  for (int n = 0; n < kCount; ++n) {
    const double x = draw_normal(3, 1, n);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.03);  // four deviations of the mean
  EXPECT_NEAR(squares / kCount, 1, 0.04);
}

Reach reach_of(const std::vector<std::string>& words, uint64_t seed) {
  return gradient_reach(word_vectors(words, seed), seed);
}

std::vector<std::string> words(int count) {
  std::vector<std::string> all;
  for (int n = 0; n < count; ++n) all.push_back("word" + std::to_string(n));
  return all;
}

TEST(Recurrent, TheChainFadesWithDistanceAndTheHopDoesNot) {
  const Reach reach = reach_of(words(50), 42);
  ASSERT_EQ(reach.recurrent.size(), 50u);
  EXPECT_LT(reach.recurrent[0], 1e-3 * reach.recurrent[49]) << "49 steps";
  EXPECT_LT(reach.recurrent[0], reach.recurrent[25]);
  double least = 1e9, most = 0;
  for (size_t t = 0; t < 49; ++t) {
    least = std::min(least, reach.attention[t]);
    most = std::max(most, reach.attention[t]);
  }
  EXPECT_GT(reach.attention[0], 10 * reach.recurrent[0]);
  EXPECT_LT(most / least, 1e3) << "no word is out of reach, wherever it stands";
}

TEST(Recurrent, EqualWordsAreReachedAlikeByAttentionWhereverTheyStand) {
  std::vector<std::string> repeated = words(6);
  repeated[0] = repeated[3] = "same";
  const Reach reach = reach_of(repeated, 1);
  EXPECT_NEAR(reach.attention[0], reach.attention[3], 1e-6);
  EXPECT_NE(reach.recurrent[0], reach.recurrent[3]);
}

// The norm of d f / d (word t) by central differences.
template <class Function>
double numeric_reach(const Function& f, std::vector<WordVector> vectors, size_t t, double step) {
  double squares = 0;
  for (size_t c = 0; c < kReachHidden; ++c) {
    const double middle = vectors[t][c];
    vectors[t][c] = middle + step;
    const WordVector high = f(vectors);
    vectors[t][c] = middle - step;
    const WordVector low = f(vectors);
    vectors[t][c] = middle;
    for (size_t e = 0; e < kReachHidden; ++e) squares += std::pow((high[e] - low[e]) / (2 * step), 2);
  }
  return std::sqrt(squares);
}

TEST(Recurrent, GradientsAreThoseOfCentralDifferences) {
  const std::vector<WordVector> vectors = word_vectors(words(7), 5);
  const Reach reach = gradient_reach(vectors, 5);
  for (size_t t = 0; t < vectors.size(); ++t) {
    const double chain = numeric_reach([](const auto& v) { return last_state(v, 5); }, vectors, t, 1e-5);
    EXPECT_NEAR(reach.recurrent[t], chain, 1e-6 * (1 + chain));
    // In f32: a step of 0.01 has a rounding error of some 1e-5 in each difference.
    const double hop = numeric_reach([](const auto& v) { return last_output(v, 5); }, vectors, t, 1e-2);
    EXPECT_NEAR(reach.attention[t], hop, 1e-3);
  }
}

TEST(Recurrent, RefusesNoWordsAndTooMany) {
  EXPECT_THROW(word_vectors({}, 1), std::invalid_argument);
  EXPECT_THROW(word_vectors(words(513), 1), std::invalid_argument);
  EXPECT_EQ(reach_of(words(1), 1).attention.size(), 1u);
}

void expect_row(const Preset& preset, const std::vector<double>& shares) {
  const Recipe steps = recipe(preset.head());
  for (size_t j = 0; j < shares.size(); ++j) {
    EXPECT_NEAR(steps.weights.grid(preset.query, static_cast<int64_t>(j)), shares[j], 1e-6);
  }
}

TEST(Preset, FiguresAreThoseOfTheLesson) {
  expect_row(preset("pronoun"), {0.01, 0.76, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.15});
  const double rest = 0.13 / 9;
  expect_row(preset("animal_street"), {rest, 0.85, rest, rest, rest, 0.02, rest, rest, rest, rest, rest});
  const Preset cat = preset("causal");
  const Recipe steps = recipe(cat.head());
  const double rows[4][4] = {{1, 0, 0, 0}, {0.3, 0.7, 0, 0}, {0.1, 0.65, 0.25, 0}, {0.05, 0.35, 0.45, 0.15}};
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(steps.weights.grid(i, j), rows[i][j], 1e-6);
      EXPECT_EQ(steps.blocked(i, j), j > i);
      EXPECT_GT(std::abs(steps.scaled(i, j)), 0.1) << "the mask has something to hide";
      EXPECT_NEAR(steps.out(i, j), rows[i][j], 1e-6) << "the values show the shares";
    }
  }
  EXPECT_THROW(preset("other"), std::invalid_argument);
}

TEST(Plain, IsTheReferencesAnswer) {
  for (const Causal causal : {Causal::kNone, Causal::kBottomRight}) {
    for (const int64_t tokens : {1, 2, 65, 130}) {
      const RandomHead head(tokens, 24, 40, causal);
      const auto expected = head.reference();
      Tensor<float, 2> grid({tokens, tokens}), out({tokens, 40});
      plain_attention(head.input(), grid, out);
      for (int64_t i = 0; i < tokens; ++i) {
        for (int64_t e = 0; e < 40; ++e) EXPECT_NEAR(out(i, e), expected.out(0, 0, i, e), 1e-5);
      }
    }
  }
}

TEST(Plain, MemoryIsGivenAndOfTheRightSize) {
  const RandomHead head(8, 4, 5, Causal::kNone);
  Tensor<float, 2> grid({8, 8}), out({8, 5}), other({8, 4});
  const float* const place = grid.data();
  plain_attention(head.input(), grid, out);
  EXPECT_EQ(grid.data(), place);
  for (int64_t i = 0; i < 8; ++i) EXPECT_NEAR(row_sum({&grid(i, 0), 8}), 1, 1e-6);
  EXPECT_THROW(plain_attention(head.input(), other, out), std::invalid_argument);
  EXPECT_THROW(plain_attention(head.input(), grid, other), std::invalid_argument);
}

TEST(Plain, SpeedIsMeasuredOnEqualAnswersAndCanBeStopped) {
  const SpeedFigures figures = measure_speed(256, 64, Causal::kNone);
  EXPECT_GT(figures.plain_seconds, 0);
  EXPECT_GT(figures.flash_seconds, 0);
  EXPECT_LT(figures.difference, 1e-5);
  EXPECT_GT(figures.plain_bytes, 256 * 256 * 4);
  limelight::Run stopped;
  stopped.progress = [](double) { return false; };
  EXPECT_THROW(measure_speed(512, 64, Causal::kNone, stopped), Cancelled);
}

TEST(Plain, FlashMemoryGrowsWithTheTokensAndNotWithTheirSquare) {
  const int64_t thousand = flash_bytes(1000, 1, 64), million = flash_bytes(1000000, 1, 64);
  EXPECT_LT(million, 1200 * thousand);
  EXPECT_GE(million, 1000000 * 65 * 4);
  EXPECT_GT(int64_t{1000000} * 1000000 * 4, 1000 * million);
}

}  // namespace
}  // namespace limelight::lesson
