// Every size around the borders of tiles, panels and row groups, every head size, every instruction set.
#include <gtest/gtest.h>

#include <vector>

#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

const std::vector<int64_t> kHeadSizes{1, 3, 16, 64, 80, 96, 128, 192, 256};
const std::vector<int64_t> kKeyCounts{0, 1, 2, 15, 17, 31, 33, 63, 65, 97, 511, 512, 513, 1021, 1025};
const std::vector<int64_t> kQueryCounts{0, 1, 2, 3, 5, 6, 7, 11, 13, 47, 53, 191, 193};

void expect_agreement(const Problem& p) {
  SCOPED_TRACE(p.text());
  const Judge judge(p);
  under_every_isa([&] { EXPECT_TRUE(judge.agrees(p.attend())); });
}

// Every pair of query count and key count; head sizes take turns. Sixteen values a row at least: the largest error of
// the seven outputs of M 7, E 1 is one draw of luck, for the yardstick as for us.
TEST(Shapes, EveryPairOfQueryAndKeyCountsAgreesWithTheReference) {
  size_t turn = 0;
  for (int64_t m : kQueryCounts) {
    for (int64_t n : kKeyCounts) {
      const int64_t d = m * n > 20000 ? 16 : kHeadSizes[turn++ % kHeadSizes.size()];
      Problem p = make_problem({.M = m, .N = n, .D = d, .E = kHeadSizes[2 + turn % 3]}, turn);
      p.causal = static_cast<Causal>(turn % 3);
      expect_agreement(p);
    }
  }
}

TEST(Shapes, EveryPairOfHeadAndValueSizesAgreesWithTheReference) {
  uint64_t seed = 0;
  for (int64_t d : kHeadSizes) {
    for (int64_t e : kHeadSizes) expect_agreement(make_problem({.M = 61, .N = 37, .D = d, .E = e}, ++seed));
  }
}

// Sizes reported to fail elsewhere: decoding, lengths that no block divides, D 80, E different from D.
TEST(Shapes, TailsAgreeWithTheReference) {
  for (int64_t n : {38, 39, 70}) expect_agreement(make_problem({.H = 2, .M = 1, .N = n, .D = 64, .E = 64}));
  for (int64_t d : {1, 3, 80, 96, 100, 112, 160, 192, 256, 576}) {
    expect_agreement(make_problem({.M = 3, .N = 19, .D = d, .E = d}));
  }
  for (auto [m, n] : {std::pair{63, 64}, {64, 50}, {100, 77}}) {
    Problem p = make_problem({.M = m, .N = n, .D = 32, .E = 32});
    Random random(5);
    p.mask = random_mask({1, 1, m, n}, 0.6, random);
    expect_agreement(p);
  }
  expect_agreement(make_problem({.B = 8, .H = 4, .G = 1, .M = 1, .N = 36, .D = 32, .E = 24}));
}

TEST(Shapes, NothingToDoIsDoneQuietly) {
  for (Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    for (const Shape& shape : {Shape{.B = 0, .M = 3, .N = 4}, Shape{.H = 0, .G = 2, .M = 3, .N = 4},
                               Shape{.H = 0, .G = 0, .M = 3, .N = 4}, Shape{.M = 0, .N = 4}, Shape{.M = 0, .N = 0}}) {
      Problem p = make_problem(shape);
      p.causal = causal;
      EXPECT_EQ(p.attend().out.count(), 0) << p.text();
    }
  }
}

TEST(Shapes, NoKeysGiveZeroAndMinusInfinity) {
  for (Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    Problem p = make_problem({.B = 2, .H = 2, .G = 1, .M = 3, .N = 0, .D = 7, .E = 5});
    p.causal = causal;
    const AttentionResult found = p.attend();
    for (int64_t n = 0; n < found.out.count(); ++n) EXPECT_EQ(found.out.data()[n], 0);
    for (int64_t n = 0; n < found.lse.count(); ++n) EXPECT_EQ(found.lse.data()[n], -kInfinity);
  }
}

TEST(Shapes, NoValueColumnsStillGiveTheSums) {
  const Problem p = make_problem({.M = 3, .N = 5, .D = 4, .E = 0});
  EXPECT_TRUE(Judge(p).agrees(p.attend()));
}

}  // namespace
}  // namespace limelight::testing
