// Parts tell the whole's progress: each its own stretch of the way, from where the one before ended.
#include "core/steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace limelight::detail {
namespace {

TEST(Steps, TakeTheWholeFromNothingToAllAndNeverBack) {
  for (const int64_t count : {1, 3, 7, 10, 30}) {
    std::vector<double> told;
    const limelight::Run whole{.progress = [&](double done) { return told.push_back(done), true; }};
    Steps steps(whole, count);
    for (int64_t n = 0; n < count; ++n) {
      const limelight::Run step = steps.next();
      for (const double done : {0.0, 0.3, 1.0}) EXPECT_TRUE(step.progress(done));
    }
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end())) << count;
    EXPECT_EQ(told.front(), 0);
    EXPECT_EQ(told.back(), 1);
  }
}

TEST(Steps, PassOnTheThreadsAndTheWishToStop) {
  const limelight::Run refusing{.threads = 3, .progress = [](double) { return false; }};
  const limelight::Run part = part_of(refusing, 0.25, 0.5);
  EXPECT_EQ(part.threads, 3);
  EXPECT_FALSE(part.progress(0));
  EXPECT_FALSE(part_of(limelight::Run{.threads = 3}, 0, 1).progress) << "nobody asks";
}

}  // namespace
}  // namespace limelight::detail
