// Values made by PyTorch in float64 (tests/golden), against the reference and against the fast path.
#include "tests/attention/golden.h"

#include <gtest/gtest.h>

#include "tests/attention/compare.h"

namespace limelight::testing {
namespace {

// Inputs and results of the file are narrowed from float64 to f32: relative 2^-25 each, a few products deep.
constexpr double kNarrowing = 4e-7;

TEST(Golden, ReferenceEqualsPyTorchInDouble) {
  for_every_golden_case([](const GoldenCase& c) {
    const Problem& p = c.problem;
    const auto exact = detail::reference_attention<double>(p.q, p.k, p.v, p.options());
    EXPECT_LE(error_of(exact.out, c.out).max, kNarrowing);
    EXPECT_LE(error_of(exact.lse, c.lse).max, kNarrowing);
    EXPECT_LE(error_of(exact.weights, c.weights).max, kNarrowing);
  });
}

TEST(Golden, AttentionIsAsCloseAsTwiceANaiveComputation) {
  under_every_isa([] {
    for_every_golden_case([](const GoldenCase& c) {
      const Problem& p = c.problem;
      const auto naive = detail::reference_attention<float>(p.q, p.k, p.v, p.options());
      const AttentionResult found = p.attend();
      EXPECT_TRUE(close(found.out, naive.out, c.out));
      EXPECT_TRUE(close(found.lse, naive.lse, c.lse));
    });
  });
}

TEST(Golden, LensRowsAreTheWeights) {
  under_every_isa([] {
    for_every_golden_case([](const GoldenCase& c) {
      const Problem& p = c.problem;
      LensRequest request;
      for (int64_t i = 0; i < p.shape.M; ++i) request.rows.push_back(i);
      const auto naive = detail::reference_attention<float>(p.q, p.k, p.v, p.options());
      EXPECT_TRUE(close(look(p.q, p.k, p.options(), request).rows, naive.weights, c.weights));
    });
  });
}

}  // namespace
}  // namespace limelight::testing
