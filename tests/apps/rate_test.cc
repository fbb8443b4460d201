// A share is taken against the limit of its own run, and a run whose limit moved counts for nothing.
#include "cli/rate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace limelight::cli {
namespace {

// Gives the limits of a list, one a call, and then the last again.
std::function<double()> limits(std::vector<double> list) {
  return [list, next = size_t{0}]() mutable { return list[std::min(next++, list.size() - 1)]; };
}

void wait_a_little() {
  std::this_thread::sleep_for(std::chrono::milliseconds(120));  // longer than a run: one call a run
}

TEST(Rate, RunsWithAMovingLimitAreLeftOut) {
  // Before the first run, then after each: 100 to 200 moves, 200 to 202 does not.
  const Rate rate = measure_rate(12, 1, limits({100, 200, 202}), wait_a_little);
  EXPECT_TRUE(rate.steady);
  EXPECT_DOUBLE_EQ(rate.limit, 201);
  EXPECT_NEAR(rate.seconds, 0.12, 0.06);
  EXPECT_DOUBLE_EQ(rate.reached, 12 / rate.seconds);
  EXPECT_DOUBLE_EQ(rate.share, rate.reached / 201);
}

TEST(Rate, ALimitThatNeverRestsIsSaid) {
  int calls = 0;
  const Rate rate = measure_rate(
      12, 1, [limit = 1.0]() mutable { return limit *= 2; }, [&calls] { ++calls, wait_a_little(); });
  EXPECT_FALSE(rate.steady);
  EXPECT_EQ(calls, 2 + 3);
  EXPECT_DOUBLE_EQ(rate.limit, 6);  // the median of 3, 6 and 12
}

TEST(Rate, ShortCallsAreRepeatedForATenthOfASecond) {
  const auto start = std::chrono::steady_clock::now();
  const Rate rate = measure_rate(1, 1, limits({1}), [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_NEAR(rate.seconds, 0.002, 0.002);
  EXPECT_GT(took.count(), 0.05);
}

}  // namespace
}  // namespace limelight::cli
