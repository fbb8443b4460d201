// Gradients made by PyTorch in float64 (tests/golden), against the reference and against the fast path.
#include <gtest/gtest.h>

#include "tests/attention/compare_gradients.h"
#include "tests/attention/golden.h"

namespace limelight::testing {
namespace {

// Inputs and results of the file are narrowed from float64 to f32: relative 2^-25 each, a few products deep.
constexpr double kNarrowing = 1e-6;

TEST(BackwardGolden, ReferenceEqualsPyTorchInDouble) {
  for_every_golden_case([](const GoldenCase& c) {
    const Problem& p = c.problem;
    const auto exact = detail::reference_backward<double>(p.q, p.k, p.v, p.options(), c.dout);
    EXPECT_LE(error_of(exact.dq, c.dq).max, kNarrowing);
    EXPECT_LE(error_of(exact.dk, c.dk).max, kNarrowing);
    EXPECT_LE(error_of(exact.dv, c.dv).max, kNarrowing);
  });
}

TEST(BackwardGolden, GradientsAreAsCloseAsThriceANaiveComputation) {
  under_every_isa([] {
    for_every_golden_case([](const GoldenCase& c) {
      const Problem& p = c.problem;
      const auto naive = detail::reference_backward<float>(p.q, p.k, p.v, p.options(), c.dout);
      const Gradients found = gradients(p, c.dout);
      EXPECT_TRUE(close(found.dq, naive.dq, c.dq, {.times = 3}));
      EXPECT_TRUE(close(found.dk, naive.dk, c.dk, {.times = 3}));
      EXPECT_TRUE(close(found.dv, naive.dv, c.dv, {.times = 3}));
    });
  });
}

}  // namespace
}  // namespace limelight::testing
