// The tile trace: whatever the tiles, the last step is the plain answer, and every step is what a running softmax
// holds.
#include "lesson/tiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "limelight/error.h"
#include "tests/lesson/heads.h"

namespace limelight::lesson {
namespace {

class TilesOf : public testing::TestWithParam<std::tuple<int, Causal>> {};

TEST_P(TilesOf, EndAtTheReferencesAnswer) {
  const auto [tile, causal] = GetParam();
  const RandomHead head(29, 24, 20, causal);
  const auto expected = head.reference();
  for (const int64_t query : {0, 7, 28}) {
    const TileTrace trace = trace_tiles(head.input(), query, tile);
    const TileStep& last = trace.steps.back();
    ASSERT_TRUE(last.out);
    EXPECT_NEAR(*last.max + std::log(last.sum), expected.lse(0, 0, query), 1e-5);
    for (size_t e = 0; e < trace.plain.size(); ++e) {
      const double reference = expected.out(0, 0, query, static_cast<int64_t>(e));
      EXPECT_NEAR((*last.out)[e], reference, 1e-5);
      EXPECT_NEAR(trace.plain[e], reference, 1e-12);
    }
    EXPECT_LT(trace.difference, 1e-5);
    for (const TileStep& step : trace.steps) {
      for (int64_t j = step.first; j < step.end; ++j) {
        const auto n = static_cast<size_t>(j - step.first);
        EXPECT_NEAR(step.weights[n], expected.weights(0, 0, query, j), 2e-6);
        EXPECT_EQ(step.blocked[n], expected.blocked(0, 0, query, j));
      }
    }
  }
}

// From the scores of the tiles so far, in double.
TEST_P(TilesOf, EveryStepHoldsTheSoftmaxOfWhatItHasSeen) {
  const auto [tile, causal] = GetParam();
  const RandomHead head(29, 24, 20, causal);
  const TileTrace trace = trace_tiles(head.input(), 20, tile);
  double max = -INFINITY;
  std::vector<double> seen;
  int64_t next = 0;
  for (const TileStep& step : trace.steps) {
    EXPECT_EQ(step.first, next);
    next = step.end;
    const double before = max;
    for (size_t n = 0; n < step.scores.size(); ++n) {
      if (step.blocked[n] == 0) seen.push_back(step.scores[n]);
    }
    for (const double score : seen) max = std::max(max, score);
    double sum = 0;
    for (const double score : seen) sum += std::exp(score - max);
    EXPECT_EQ(step.skipped, step.first > 20 && causal != Causal::kNone);
    EXPECT_EQ(*step.max, max);
    EXPECT_NEAR(step.sum, sum, 1e-5 * sum);
    if (!step.skipped) {
      EXPECT_NEAR(step.rescale, std::exp(before - max), 1e-6);
    }
  }
  EXPECT_EQ(next, 29);
}

INSTANTIATE_TEST_SUITE_P(Sizes, TilesOf,
                         testing::Combine(testing::Values(1, 3, 4, 16, 29, 64),
                                          testing::Values(Causal::kNone, Causal::kBottomRight)));

TEST(Tiles, OneTileOfAllKeysIsWhatAttentionGives) {
  const RandomHead head(40, 32, 32, Causal::kBottomRight);
  const AttentionResult result = attention(head.q, head.k, head.v, head.options);
  for (const int64_t query : {0, 13, 39}) {
    const TileTrace trace = trace_tiles(head.input(), query, engine_tile());
    ASSERT_EQ(trace.steps.size(), 1u);
    for (size_t e = 0; e < trace.plain.size(); ++e) {
      EXPECT_NEAR((*trace.steps[0].out)[e], result.out(0, 0, query, static_cast<int64_t>(e)), 1e-6);
    }
  }
}

TEST(Tiles, AWindowSkipsWhatItHides) {
  RandomHead head(16, 8, 8, Causal::kBottomRight);
  head.options.window.left = 2;
  const TileTrace trace = trace_tiles(head.input(), 10, 4);
  EXPECT_TRUE(trace.steps[0].skipped);
  EXPECT_TRUE(trace.steps[1].skipped);
  EXPECT_FALSE(trace.steps[0].max) << "nothing was seen yet";
  EXPECT_FALSE(trace.steps[0].out);
  EXPECT_FALSE(trace.steps[2].skipped);
  EXPECT_TRUE(trace.steps[3].skipped);
  EXPECT_LT(trace.difference, 1e-5);
}

TEST(Tiles, RefuseWhatDoesNotFit) {
  const RandomHead head(5, 8, 8, Causal::kNone);
  EXPECT_THROW(trace_tiles(head.input(), 5, 4), std::invalid_argument);
  EXPECT_THROW(trace_tiles(head.input(), -1, 4), std::invalid_argument);
  EXPECT_THROW(trace_tiles(head.input(), 0, 0), std::invalid_argument);
  EXPECT_THROW(trace_tiles(head.input(), 0, 513), std::invalid_argument);
}

// What is not seen may be anything.
TEST(Tiles, RefuseScoresThatAreNoNumbers) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  RandomHead head(9, 8, 8, Causal::kBottomRight);
  head.q(0, 0, 4, 3) = kNaN;
  EXPECT_THROW(trace_tiles(head.input(), 4, 2), FormatError);
  head.k(0, 0, 6, 3) = kNaN;
  for (const int64_t query : {6, 8}) EXPECT_THROW(trace_tiles(head.input(), query, 2), FormatError);
  EXPECT_LT(trace_tiles(head.input(), 5, 2).difference, 1e-5);
  for (int64_t d = 0; d < 8; ++d) head.q(0, 0, 0, d) = -std::copysign(INFINITY, head.k(0, 0, 0, d));
  EXPECT_THROW(trace_tiles(head.input(), 0, 2), FormatError) << "all scores minus infinity";
}

}  // namespace
}  // namespace limelight::lesson
