// The next token: which may be drawn, how often, and what a draw depends on.
#include "model/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <vector>

#include "limelight/error.h"
#include "tests/model/thrown.h"

namespace limelight::testing {
namespace {

using detail::next_token;
using detail::Sampling;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr uint64_t kDraws = 20000;

std::map<int32_t, double> shares(const std::vector<float>& logits, const Sampling& sampling) {
  std::map<int32_t, double> counts;
  for (uint64_t number = 0; number < kDraws; ++number) counts[next_token(logits, sampling, number)] += 1.0 / kDraws;
  return counts;
}

std::vector<int32_t> draws(const std::vector<float>& logits, const Sampling& sampling, uint64_t count = 200) {
  std::vector<int32_t> ids;
  for (uint64_t number = 0; number < count; ++number) ids.push_back(next_token(logits, sampling, number));
  return ids;
}

std::vector<float> log_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)) + 3);
  return logits;
}

// Five standard deviations of a share of p among the draws.
double slack(double p) {
  return 5 * std::sqrt(p * (1 - p) / static_cast<double>(kDraws));
}

TEST(Greedy, TakesTheLargestAndOfEqualOnesTheLowestId) {
  EXPECT_EQ(next_token(std::vector<float>{1, 3, 2}, {}, 0), 1);
  EXPECT_EQ(next_token(std::vector<float>{1, 3, 3, 3}, {}, 7), 1);
  EXPECT_EQ(next_token(std::vector<float>{-kInfinity, -5, -kInfinity}, {}, 0), 1);
}

TEST(Sampling, FollowsTheProbabilities) {
  const std::vector<double> wanted = {0.5, 0.05, 0.3, 0.15};
  const auto found = shares(log_of(wanted), {.temperature = 1});
  for (int32_t id = 0; id < 4; ++id) {
    const double p = wanted[static_cast<size_t>(id)];
    EXPECT_NEAR(found.at(id), p, slack(p)) << id;
  }
}

TEST(Sampling, TemperatureDividesTheLogits) {
  const auto found = shares(log_of({0.8, 0.2}), {.temperature = 2});
  const double p = std::sqrt(0.8) / (std::sqrt(0.8) + std::sqrt(0.2));
  EXPECT_NEAR(found.at(0), p, slack(p));
  EXPECT_EQ(draws({1, 1.001f, 0}, {.temperature = 1e-30f}), std::vector<int32_t>(200, 1));
}

TEST(Sampling, TopKKeepsTheLargestAndOfEqualOnesTheLowestIds) {
  const auto found = shares({2, 5, 2, 2, 4}, {.temperature = 10, .top_k = 3});
  EXPECT_EQ(found.size(), 3u);
  for (const int32_t id : {0, 1, 4}) EXPECT_TRUE(found.contains(id)) << id;
  EXPECT_EQ(draws({2, 5, 5}, {.temperature = 1, .top_k = 1}), std::vector<int32_t>(200, 1));
}

TEST(Sampling, TopPKeepsTheFewestThatReachIt) {
  const std::vector<float> logits = log_of({0.1, 0.5, 0.15, 0.25});
  EXPECT_EQ(shares(logits, {.temperature = 1, .top_p = 0.49f}).size(), 1u);
  EXPECT_EQ(shares(logits, {.temperature = 1, .top_p = 0.51f}).size(), 2u);
  const auto three = shares(logits, {.temperature = 1, .top_p = 0.76f});
  EXPECT_EQ(three.size(), 3u);
  EXPECT_FALSE(three.contains(0));
  EXPECT_NEAR(three.at(1), 0.5 / 0.9, slack(0.5 / 0.9));
}

TEST(Sampling, TopPCountsAmongWhatTopKLeaves) {
  // Of 0.5 and 0.3 the first has 0.625: it reaches 0.6 only because the others are gone.
  const std::vector<float> logits = log_of({0.2, 0.5, 0.3});
  EXPECT_EQ(shares(logits, {.temperature = 1, .top_p = 0.6f}).size(), 2u);
  EXPECT_EQ(shares(logits, {.temperature = 1, .top_k = 2, .top_p = 0.6f}).size(), 1u);
}

TEST(Sampling, ACutThatCutsNothingChangesNoDraw) {
  std::vector<float> logits;
  for (int i = 0; i < 500; ++i) logits.push_back(std::sin(static_cast<float>(i)) * 4);
  const auto plain = draws(logits, {.temperature = 1, .seed = 3});
  EXPECT_EQ(draws(logits, {.temperature = 1, .top_k = 500, .seed = 3}), plain);
  EXPECT_EQ(draws(logits, {.temperature = 1, .top_k = 100000, .top_p = 1, .seed = 3}), plain);
}

TEST(Sampling, DrawsDependOnSeedAndNumberAlone) {
  const std::vector<float> logits(64, 0.0f);
  const Sampling sampling{.temperature = 1, .seed = 11};
  EXPECT_EQ(draws(logits, sampling), draws(logits, sampling));
  for (const uint64_t seed : {uint64_t{12}, uint64_t{11} + (uint64_t{1} << 32)}) {
    EXPECT_NE(draws(logits, sampling), draws(logits, {.temperature = 1, .seed = seed})) << seed;
  }
  EXPECT_GT(shares(logits, sampling).size(), 60u);
}

TEST(Sampling, MinusInfinityIsNeverDrawn) {
  const auto found =
      shares({-kInfinity, 0, -kInfinity, 0, -kInfinity}, {.temperature = 5, .top_k = 4, .top_p = 0.999f});
  EXPECT_EQ(found.size(), 2u);
  EXPECT_TRUE(found.contains(1) && found.contains(3));
}

TEST(Sampling, LogitsWithoutNumbersAreRefused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float temperature : {0.0f, 1.0f}) {
    for (const std::vector<float>& logits : {std::vector<float>{1, nan}, {nan, 1}, {1, kInfinity}, {-kInfinity}, {}}) {
      EXPECT_THROW(next_token(logits, {.temperature = temperature}, 0), FormatError);
    }
  }
}

TEST(Sampling, OptionsOutOfRangeAreNamed) {
  const auto refusal = [](const Sampling& sampling) {
    return thrown<std::invalid_argument>([&] { detail::check_sampling("generate", sampling); });
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float t : {-1.0f, nan, kInfinity}) {
    EXPECT_NE(refusal({.temperature = t}).find("[generate] temperature: expected"), std::string::npos) << t;
  }
  EXPECT_NE(refusal({.top_k = -1}).find("top_k"), std::string::npos);
  for (const float p : {0.0f, -0.1f, 1.1f, nan}) EXPECT_NE(refusal({.top_p = p}).find("top_p"), std::string::npos) << p;
  EXPECT_EQ(refusal({.temperature = 2, .top_k = 5, .top_p = 1}), "(nothing was thrown)");
}

}  // namespace
}  // namespace limelight::testing
