// Sinks at their edges: none is minus infinity, one that has a row for itself, and one that is no number.
#include <gtest/gtest.h>

#include "limelight/merge.h"
#include "tests/attention/compare_gradients.h"

namespace limelight::testing {
namespace {

Problem with_sinks(float first, float second) {
  Problem p = make_problem({.B = 2, .H = 2, .M = 3, .N = 6, .D = 8, .E = 4});
  p.sinks = Tensor<float, 1>({2});
  (*p.sinks)(0) = first, (*p.sinks)(1) = second;
  return p;
}

Tensor<float, 4> random_dout(const Problem& p) {
  Random random(5);
  return random_tensor({p.shape.B, p.shape.H, p.shape.M, p.shape.E}, random);
}

TEST(SinkEdges, TheGradientOfMinusInfinityIsZeroWhateverArrives) {
  const Problem p = with_sinks(-kInfinity, 1);
  Tensor<float, 4> dout = random_dout(p);
  for (const float x : {kNaN, kInfinity, -kInfinity}) {
    dout(0, 0, 1, 2) = x;
    const Gradients found = gradients(p, dout);
    EXPECT_EQ(found.dsinks(0), 0) << x;
    EXPECT_TRUE(std::isfinite(found.dsinks(1))) << x;
  }
}

// Sequence 1 has no keys: its rows are the sink's, and what arrives at their outputs moves nothing.
TEST(SinkEdges, OutputsOfRowsWithoutKeysAreNotObserved) {
  Problem p = with_sinks(0.5f, -1);
  p.key_lengths = Tensor<int64_t, 1>({2});
  (*p.key_lengths)(0) = 6;
  p.bias = Tensor<float, 4>({1, 1, 3, 1});
  Tensor<float, 4> dout = random_dout(p);
  const Gradients expected = gradients(p, dout);
  for (int64_t i = 0; i < 3; ++i) dout(1, 0, i, i) = dout(1, 1, i, 3) = i == 1 ? kInfinity : kNaN;
  EXPECT_TRUE(same_bits(gradients(p, dout), expected));
}

// What backward.h says of it: lse has no more digits.
TEST(SinkEdges, DbiasOfOneColumnIsAsGoodAsLse) {
  for (const float sink : {0.0f, 10.0f, 20.0f}) {
    Problem p = with_sinks(sink, sink);
    p.bias = Tensor<float, 4>({2, 2, 3, 1});
    Tensor<float, 3> dlse({2, 2, 3});
    for (int64_t n = 0; n < dlse.count(); ++n) dlse.data()[n] = static_cast<float>(n) - 5.5f;
    const Tensor<float, 4> dout = random_dout(p);
    const Gradients found = gradients(p, dout, &dlse);
    const GradientJudge judge(p, dout, &dlse);
    const AttentionResult forward = p.attend();
    for (int64_t n = 0; n < dlse.count(); ++n) {
      const double bound = ulp(std::abs(forward.lse.data()[n])) * std::abs(dlse.data()[n]) + 1e-6;
      EXPECT_NEAR(found.dbias.data()[n], judge.exact.dbias.data()[n], bound) << sink << " " << n;
    }
  }
}

TEST(SinkEdges, MergeRefusesWhatAttentionRefuses) {
  Problem p = with_sinks(0, 0);
  const Tensor<float, 1> sinks = std::move(*p.sinks);
  p.sinks.reset();
  const TilePartials parts[] = {attention_partials(p.q, p.k, p.v, p.options())};
  EXPECT_NO_THROW(merge(std::span(parts), sinks.view()));
  for (const float x : {kNaN, kInfinity}) {
    Tensor<float, 1> spoiled = sinks.clone();
    spoiled(1) = x;
    EXPECT_THROW(merge(std::span(parts), spoiled.view()), std::invalid_argument) << x;
    AttentionOptions options = p.options();
    options.sinks = spoiled.view();
    EXPECT_THROW(attention(p.q, p.k, p.v, options), std::invalid_argument) << x;
  }
}

}  // namespace
}  // namespace limelight::testing
