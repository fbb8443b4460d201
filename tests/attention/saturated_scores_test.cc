// Scores that the softcap bends flat: their gradient is 0, but they are not masked.
#include <gtest/gtest.h>

#include "tests/attention/compare_gradients.h"

namespace limelight::testing {
namespace {

// A slope may come out as 0 or as its rounding, so NaN here may be infinity there.
void expect_finite_alike(const Tensor<float, 4>& found, const Tensor<float, 4>& naive) {
  for (int64_t n = 0; n < naive.count(); ++n) {
    EXPECT_EQ(std::isfinite(found.data()[n]), std::isfinite(naive.data()[n])) << "element " << n;
  }
}

TEST(SaturatedScores, AnInfinityIsSeenWhateverTheSignOfTheGradient) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Problem p = make_problem({.M = 4, .N = 5, .D = 8, .E = 8}, seed);
    p.softcap = seed <= 20 ? 2 : 200;  // at which the weight is 0, too
    p.k(0, 0, seed % 5, 3) = kInfinity;
    Random random(seed);
    const Tensor<float, 4> dout = random_tensor({1, 1, 4, 8}, random);
    SCOPED_TRACE(seed);
    under_every_isa([&] {
      const Gradients found = gradients(p, dout);
      const GradientJudge judge(p, dout);
      expect_finite_alike(found.dq, judge.naive.dq);
      expect_finite_alike(found.dk, judge.naive.dk);
    });
  }
}

}  // namespace
}  // namespace limelight::testing
