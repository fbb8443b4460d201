// Causal corners, windows and key lengths: which keys each query sees.
#include <gtest/gtest.h>

#include <limits>

#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

// Whether each key is seen, row by row, 'x' or '.', by the lens's blocked states; the values must agree too.
std::string seen(const Problem& p) {
  LensRequest request;
  for (int64_t i = 0; i < p.shape.M; ++i) request.rows.push_back(i);
  const LensResult lens = look(p.q, p.k, p.options(), request);
  EXPECT_TRUE(Judge(p).agrees(p.attend())) << p.text();
  EXPECT_TRUE(Judge(p).agrees(lens, request)) << p.text();
  std::string text;
  for (int64_t i = 0; i < p.shape.M; ++i) {
    if (i > 0) text += ' ';
    for (int64_t j = 0; j < p.shape.N; ++j) text += lens.rows_blocked(0, 0, i, j) != 0 ? '.' : 'x';
  }
  return text;
}

std::string seen(int64_t m, int64_t n, Causal causal, Window window = {}) {
  Problem p = make_problem({.M = m, .N = n, .D = 8, .E = 8});
  p.causal = causal;
  p.window = window;
  return seen(p);
}

TEST(Intervals, CausalCornersAreAsDrawn) {
  EXPECT_EQ(seen(2, 4, Causal::kTopLeft), "x... xx..");
  EXPECT_EQ(seen(2, 4, Causal::kBottomRight), "xxx. xxxx");
  EXPECT_EQ(seen(4, 2, Causal::kTopLeft), "x. xx xx xx");
  EXPECT_EQ(seen(4, 2, Causal::kBottomRight), ".. .. x. xx");
  EXPECT_EQ(seen(5, 2, Causal::kBottomRight), ".. .. .. x. xx");
  EXPECT_EQ(seen(1, 16, Causal::kBottomRight), "xxxxxxxxxxxxxxxx");
  EXPECT_EQ(seen(1, 16, Causal::kTopLeft), "x...............");
}

TEST(Intervals, WindowsAreAsDrawn) {
  EXPECT_EQ(seen(5, 5, Causal::kNone, {1, 0}), "x.... xx... .xx.. ..xx. ...xx");
  EXPECT_EQ(seen(5, 5, Causal::kNone, {1, 1}), "xx... xxx.. .xxx. ..xxx ...xx");
  EXPECT_EQ(seen(5, 5, Causal::kBottomRight, {1, 3}), "x.... xx... .xx.. ..xx. ...xx");
  EXPECT_EQ(seen(3, 5, Causal::kNone, {0, 0}), "..x.. ...x. ....x");
  EXPECT_EQ(seen(3, 5, Causal::kTopLeft, {0, 0}), "x.... .x... ..x..");
  EXPECT_EQ(seen(5, 3, Causal::kNone, {1, 1}), "... x.. xx. xxx .xx");
}

TEST(Intervals, TheWidestWindowIsNoWindow) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (auto [m, n] : {std::pair{5, 5}, {7, 3}, {3, 7}}) {
    for (Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
      EXPECT_EQ(seen(m, n, causal, {kMost, kMost}), seen(m, n, causal)) << m << " " << n;
      EXPECT_EQ(seen(m, n, causal, {kMost, -1}), seen(m, n, causal)) << m << " " << n;
      EXPECT_EQ(seen(m, n, causal, {-1, kMost}), seen(m, n, causal)) << m << " " << n;
    }
  }
}

TEST(Intervals, WindowsAgreeWithTheReferenceAcrossTiles) {
  uint64_t seed = 0;
  for (auto [left, right] : {std::pair{0, 0}, {3, 0}, {100, 0}, {511, 0}, {512, 5}, {-1, 0}, {0, -1}, {40, 600}}) {
    for (Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
      Problem p = make_problem({.M = 61, .N = 1100, .D = 16, .E = 16}, ++seed);
      p.causal = causal;
      p.window = {left, right};
      const Judge judge(p);
      under_every_isa([&] { EXPECT_TRUE(judge.agrees(p.attend())) << p.text(); });
    }
  }
}

TEST(Intervals, WindowBiasAndMaskAgreeTogether) {
  Random random(9);
  Problem p = make_problem({.B = 2, .H = 4, .G = 2, .M = 130, .N = 700, .D = 24, .E = 40});
  p.causal = Causal::kBottomRight;
  p.window = {300, 0};
  p.bias = random_tensor({1, 4, 130, 700}, random);
  p.mask = random_mask({2, 1, 1, 700}, 0.5, random);
  const Judge judge(p);
  under_every_isa([&] { EXPECT_TRUE(judge.agrees(p.attend())); });
}

// With key lengths, N in every formula is the sequence's own.
TEST(Intervals, KeyLengthsEqualAShorterSequenceInBits) {
  for (Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    Problem p = make_problem({.B = 5, .H = 4, .G = 2, .M = 7, .N = 600, .D = 16, .E = 8});
    p.causal = causal;
    p.window = {.left = 520, .right = 3};
    p.key_lengths = Tensor<int64_t, 1>({5});
    const int64_t lengths[] = {0, 3, 512, 599, 600};
    std::copy_n(lengths, 5, p.key_lengths->data());
    under_every_isa([&] {
      const AttentionResult all = p.attend();
      EXPECT_TRUE(Judge(p).agrees(all));
      for (int64_t b = 0; b < 5; ++b) {
        const auto part = [&](auto view) { return slice(view, 0, b, 1); };
        const AttentionResult alone =
            attention(part(p.q.view()), slice(part(p.k.view()), 2, 0, lengths[b]),
                      slice(part(p.v.view()), 2, 0, lengths[b]), {.causal = causal, .window = p.window});
        EXPECT_TRUE(same_bits(copy_of(part(all.out.view())), alone.out)) << b;
        EXPECT_TRUE(same_bits(copy_of(part(all.lse.view())), alone.lse)) << b;
      }
    });
  }
}

}  // namespace
}  // namespace limelight::testing
