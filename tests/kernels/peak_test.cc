// The rates a benchmark compares with: positive, and refused for no threads.
#include <gtest/gtest.h>

#include <stdexcept>

#include "limelight/runtime.h"

namespace limelight {
namespace {

TEST(Peak, FewerThanOneThreadIsRefused) {
  for (const int threads : {0, -1}) {
    EXPECT_THROW(measure_peak_flops(threads), std::invalid_argument);
    EXPECT_THROW(measure_read_bandwidth(threads), std::invalid_argument);
  }
}

TEST(Peak, IsPositiveAndFinite) {
  const double flops = measure_peak_flops(1);
  EXPECT_GT(flops, 1e6);
  EXPECT_LT(flops, 1e15);
}

}  // namespace
}  // namespace limelight
