// The four steps against the double reference, and what is measured of a row against its definition.
#include "lesson/recipe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "lesson/row_measures.h"
#include "tests/lesson/heads.h"

namespace limelight::lesson {
namespace {

// Weights are at most 1 and scores some tens: errors of a float computation stay well below this.
constexpr double kClose = 2e-6;

class RecipeOf : public testing::TestWithParam<std::tuple<int, int, Causal>> {
 protected:
  RandomHead head() const {
    const auto [tokens, depth, causal] = GetParam();
    return RandomHead(tokens, depth, depth + 3, causal);
  }
};

TEST_P(RecipeOf, WeightsAndOutputAreTheReferences) {
  const RandomHead head = this->head();
  const Recipe steps = recipe(head.input());
  const auto expected = head.reference();
  const int64_t tokens = head.q.sizes()[2];
  for (int64_t i = 0; i < tokens; ++i) {
    EXPECT_NEAR(steps.lse[static_cast<size_t>(i)], expected.lse(0, 0, i), 1e-5);
    for (int64_t j = 0; j < tokens; ++j) {
      EXPECT_NEAR(steps.weights.grid(i, j), expected.weights(0, 0, i, j), kClose) << i << " " << j;
      EXPECT_EQ(steps.blocked(i, j), expected.blocked(0, 0, i, j));
    }
    for (int64_t e = 0; e < steps.out.sizes()[1]; ++e) {
      EXPECT_NEAR(steps.out(i, e), expected.out(0, 0, i, e), 1e-5);
    }
  }
  EXPECT_LT(steps.difference, 1e-5);
}

TEST_P(RecipeOf, ScoresAreProductsAndTheSecondStepDividesThem) {
  const RandomHead head = this->head();
  const Recipe steps = recipe(head.input());
  const int64_t depth = head.q.sizes()[3];
  EXPECT_NEAR(steps.scale, 1 / std::sqrt(static_cast<double>(depth)), 1e-7);
  for (int64_t i = 0; i < steps.scores.sizes()[0]; ++i) {
    for (int64_t j = 0; j < steps.scores.sizes()[1]; ++j) {
      double dot = 0;
      for (int64_t d = 0; d < depth; ++d) dot += double{head.q(0, 0, i, d)} * double{head.k(0, 0, j, d)};
      EXPECT_NEAR(steps.scores(i, j), dot, 1e-5 * (1 + std::abs(dot)));
      EXPECT_EQ(steps.scaled(i, j), steps.scores(i, j) * steps.scale);
    }
  }
}

TEST_P(RecipeOf, WithoutTheDivisionRowsStillAddToOneAndAreSharper) {
  const Recipe steps = recipe(head().input());
  double divided = 0, undivided = 0;
  for (size_t i = 0; i < steps.weights.row_sums.size(); ++i) {
    EXPECT_NEAR(steps.weights.row_sums[i], 1, 1e-6);
    EXPECT_NEAR(steps.unscaled.row_sums[i], 1, 1e-6);
    divided += steps.weights.entropy[i];
    undivided += steps.unscaled.entropy[i];
  }
  EXPECT_LE(undivided, divided);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RecipeOf,
                         testing::Combine(testing::Values(1, 4, 17, 64), testing::Values(4, 32, 64),
                                          testing::Values(Causal::kNone, Causal::kBottomRight)));

TEST(Recipe, RefusesShapesThatDoNotFit) {
  const RandomHead head(5, 8, 8, Causal::kNone), other(6, 8, 8, Causal::kNone);
  HeadInput input = head.input();
  input.k = other.k;
  EXPECT_THROW(recipe(input), std::invalid_argument);
  input = head.input();
  input.v = other.v;
  EXPECT_THROW(recipe(input), std::invalid_argument);
  const Tensor<float, 4> none({1, 1, 0, 8});
  EXPECT_THROW(recipe({.q = none, .k = none, .v = none, .options = {}}), std::invalid_argument);
}

TEST(RowMeasures, EntropyIsThatOfEqualShares) {
  EXPECT_NEAR(row_entropy(std::vector<float>{0.25f, 0.25f, 0.25f, 0.25f}), std::log(4), 1e-12);
  EXPECT_EQ(row_entropy(std::vector<float>{0, 1, 0}), 0);
}

// d p / d s by central differences, in double.
double numeric_gradient(const std::vector<double>& scores) {
  const auto softmax = [](const std::vector<double>& s) {
    std::vector<double> p;
    double sum = 0;
    for (const double x : s) sum += p.emplace_back(std::exp(x));
    for (double& x : p) x /= sum;
    return p;
  };
  constexpr double kStep = 1e-5;
  double squares = 0;
  for (size_t j = 0; j < scores.size(); ++j) {
    std::vector<double> up = scores, down = scores;
    up[j] += kStep;
    down[j] -= kStep;
    const auto high = softmax(up), low = softmax(down);
    for (size_t i = 0; i < scores.size(); ++i) squares += std::pow((high[i] - low[i]) / (2 * kStep), 2);
  }
  return std::sqrt(squares);
}

TEST(RowMeasures, GradientIsTheNormOfTheDerivative) {
  for (const std::vector<double>& scores :
       {std::vector<double>{0, 0}, {1, 2, 3}, {-1, 0.5, 0.25, 2, -3}, {8, 0, 0, 0}}) {
    double sum = 0;
    for (const double s : scores) sum += std::exp(s);
    std::vector<float> weights;
    for (const double s : scores) weights.push_back(static_cast<float>(std::exp(s) / sum));
    EXPECT_NEAR(softmax_gradient(weights), numeric_gradient(scores), 1e-6);
  }
}

TEST(RowMeasures, GradientVanishesWhereOneKeyHasAllAndIsLargestForHalves) {
  EXPECT_EQ(softmax_gradient(std::vector<float>{1, 0, 0}), 0);
  EXPECT_NEAR(softmax_gradient(std::vector<float>{0.5f, 0.5f}), 0.5, 1e-12);
  EXPECT_GT(softmax_gradient(std::vector<float>{1 - 1e-6f, 1e-6f}), 1e-6);
}

}  // namespace
}  // namespace limelight::lesson
