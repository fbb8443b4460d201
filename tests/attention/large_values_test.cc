// Values near the largest float: their sum overflows, their mean does not.
#include <gtest/gtest.h>

#include <cmath>

#include "limelight/merge.h"
#include "tests/attention/compare.h"
#include "tests/attention/stored.h"

namespace limelight::testing {
namespace {

constexpr float kHuge = 3.4e38f;

// Values up to kHuge of both signs, but for every third column, which holds small ones.
Problem huge_problem(const Shape& shape) {
  Problem p = make_problem(shape);
  for (int64_t n = 0; n < p.v.count(); ++n) {
    if (n % p.shape.E % 3 != 2) p.v.data()[n] = kHuge * std::tanh(p.v.data()[n] + 2);
  }
  return p;
}

TEST(LargeValues, TwoOfTheSameMeanTheSame) {
  for (const int64_t rows : {1, 9, 40}) {
    Problem p = make_problem({.H = 2, .G = 1, .M = rows, .N = 600, .D = 4, .E = 5});
    p.scale = 0;
    std::fill_n(p.v.data(), p.v.count(), 2e38f);
    under_every_isa([&] {
      const AttentionResult found = p.attend();
      for (int64_t n = 0; n < found.out.count(); ++n) ASSERT_NEAR(found.out.data()[n], 2e38, 600 * ulp(2e38));
    });
  }
}

// Few and many rows, one tile and several, storages that are converted, sinks, dropout: each way of taking values.
TEST(LargeValues, AgreeWithTheReference) {
  for (const int64_t rows : {1, 7, 40}) {
    for (const int64_t keys : {2, 70, 1100}) {
      Problem p = huge_problem({.H = 4, .G = 2, .M = rows, .N = keys, .D = 16, .E = 20});
      p.causal = keys > 2 ? Causal::kBottomRight : Causal::kNone;
      p.sinks = Tensor<float, 1>({4});
      const Judge judge(p);
      under_every_isa([&] { EXPECT_TRUE(judge.agrees(p.attend())) << p.text(); });
    }
  }
}

// The first tile's sum is infinite, but has no weight beside the second's.
TEST(LargeValues, AnOverflowThatLosesAllItsWeightLeavesNothing) {
  Problem p = make_problem({.M = 9, .N = 520, .D = 4, .E = 4});
  p.scale = 0;
  p.bias = Tensor<float, 4>({1, 1, 1, 520});
  std::fill_n(p.bias->data() + 512, 8, 200.0f);
  std::fill_n(p.v.data(), 512 * 4, kHuge);
  const Judge judge(p);
  under_every_isa([&] { EXPECT_TRUE(judge.agrees(p.attend())); });
}

TEST(LargeValues, ARowHasTheSameBitsWhateverItsNeighboursOverflow) {
  Problem p = huge_problem({.H = 4, .G = 2, .M = 30, .N = 4200, .D = 16, .E = 20});
  p.causal = Causal::kBottomRight;
  under_every_isa([&] {
    const AttentionResult whole = p.attend();
    for (const int64_t i : {0, 13, 29}) {
      const AttentionResult row = attention(slice(p.q.view(), 2, i, 1), slice(p.k.view(), 2, 0, 4171 + i),
                                            slice(p.v.view(), 2, 0, 4171 + i), p.options());
      EXPECT_TRUE(same_bits(copy_of(slice(whole.out.view(), 2, i, 1)), row.out)) << i;
    }
    AttentionOptions options = p.options();
    const auto last = slice(p.q.view(), 2, 29, 1);
    options.run.threads = 4;
    ASSERT_GT(explain(last, p.k, p.v, options).key_splits, 1);
    EXPECT_TRUE(same_bits(copy_of(slice(whole.out.view(), 2, 29, 1)), attention(last, p.k, p.v, options).out));
  });
}

// A lens rides along once, not twice.
TEST(LargeValues, TheLensIsThatOfOneRun) {
  const Problem p = huge_problem({.H = 2, .G = 1, .M = 9, .N = 70, .D = 16, .E = 20});
  const LensRequest request{.top_k = 3, .entropy = true};
  Tensor<float, 4> out({1, 2, 9, 20});
  const LensResult seen = attention_and_look(p.q, p.k, p.v, p.options(), request, out);
  EXPECT_TRUE(same_bits(seen, look(p.q, p.k, p.options(), request)));
  EXPECT_TRUE(same_bits(out, p.attend().out));
}

TEST(LargeValues, AnInfinityThatIsSeenStaysOne) {
  Problem p = huge_problem({.M = 9, .N = 70, .D = 8, .E = 6});
  p.v(0, 0, 3, 0) = -kInfinity, p.v(0, 0, 5, 1) = kNaN;
  const Judge judge(p);
  under_every_isa([&] {
    const AttentionResult found = p.attend();
    EXPECT_TRUE(judge.agrees(found));
    for (int64_t i = 0; i < 9; ++i) EXPECT_EQ(found.out(0, 0, i, 0), -kInfinity);
  });
}

// What merge.h says of them: partials hold no values to begin again with.
TEST(LargeValues, PartialsThatOverflowStayInfinite) {
  Problem p = make_problem({.M = 1, .N = 2, .D = 4, .E = 4});
  p.scale = 0;
  std::fill_n(p.v.data(), p.v.count(), kHuge);
  const TilePartials parts[] = {attention_partials(p.q, p.k, p.v, p.options())};
  EXPECT_EQ(merge(std::span(parts)).out(0, 0, 0, 0), kInfinity);
}

}  // namespace
}  // namespace limelight::testing
