// The promise of same bits: a row hangs on its own query, keys, values and options, and on nothing else.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "core/parallel.h"
#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

// Problems that between them take every path: plain, causal, windowed, biased, masked, capped, with lengths.
std::vector<Problem> assorted() {
  std::vector<Problem> all;
  Random random(11);
  for (int kind = 0; kind < 6; ++kind) {
    Problem p = make_problem({.B = 2, .H = 6, .G = 2, .M = 150, .N = 1050, .D = 24, .E = 20}, 100 + kind);
    if (kind >= 1) p.causal = kind % 2 == 1 ? Causal::kBottomRight : Causal::kTopLeft;
    if (kind == 2) p.causal = Causal::kNone, p.window = {.left = 600, .right = 20};
    if (kind == 3) p.bias = random_tensor({1, 6, 150, 1050}, random);
    if (kind == 4) p.mask = random_mask({2, 1, 150, 1050}, 0.6, random);
    if (kind == 5) {
      p.softcap = 2;
      p.key_lengths = Tensor<int64_t, 1>({2});
      (*p.key_lengths)(0) = 513, (*p.key_lengths)(1) = 90;
    }
    all.push_back(std::move(p));
  }
  return all;
}

LensRequest everything() {
  return {.rows = {0, 7, -1}, .top_k = 5, .received = true, .entropy = true, .heatmap = 9};
}

TEST(SameBits, ForAnyThreadCount) {
  for (const Problem& p : assorted()) {
    under_every_isa([&] {
      AttentionOptions options = p.options();
      options.run.threads = 1;
      const AttentionResult one = attention(p.q, p.k, p.v, options);
      const LensResult lens = look(p.q, p.k, options, everything());
      for (int threads : {2, 3, 7}) {
        options.run.threads = threads;
        EXPECT_TRUE(same_bits(attention(p.q, p.k, p.v, options), one)) << threads << " threads, " << p.text();
        EXPECT_TRUE(same_bits(look(p.q, p.k, options, everything()), lens)) << threads << " threads, " << p.text();
      }
    });
  }
}

// The part of a whole call's result that a call with sliced arguments must give.
void expect_part(const AttentionResult& whole, int axis, int64_t begin, int64_t count, const AttentionResult& part) {
  EXPECT_TRUE(same_bits(copy_of(slice(whole.out.view(), axis, begin, count)), part.out));
  EXPECT_TRUE(same_bits(copy_of(slice(whole.lse.view(), axis, begin, count)), part.lse));
}

TEST(SameBits, AloneOrInABatch) {
  for (const Problem& p : assorted()) {
    under_every_isa([&] {
      const AttentionResult whole = p.attend();
      for (int64_t b = 0; b < 2; ++b) {
        const auto part = [&](const Tensor<float, 4>& t) { return slice(t.view(), 0, b, 1); };
        expect_part(whole, 0, b, 1, attention(part(p.q), part(p.k), part(p.v), slice(p.options(), 0, b, 1)));
      }
    });
  }
}

TEST(SameBits, OneHeadOrAll) {
  for (const Problem& p : assorted()) {
    const AttentionResult whole = p.attend();
    for (int64_t h = 0; h < 6; ++h) {
      const int64_t g = h / 3;
      expect_part(whole, 1, h, 1,
                  attention(slice(p.q.view(), 1, h, 1), slice(p.k.view(), 1, g, 1), slice(p.v.view(), 1, g, 1),
                            slice(p.options(), 1, h, 1)));
    }
  }
}

TEST(SameBits, GroupedHeadsEqualExpandedHeads) {
  for (const Problem& p : assorted()) {
    const auto expanded = [](const Tensor<float, 4>& t) {  // three query heads a group
      const auto [b, g, n, d] = t.sizes();
      Tensor<float, 4> wide({b, 3 * g, n, d});
      for (int64_t at = 0; at < b * 3 * g; ++at) {
        const int64_t from = at / (3 * g) * g + at % (3 * g) / 3;
        std::copy_n(t.data() + from * n * d, n * d, wide.data() + at * n * d);
      }
      return wide;
    };
    under_every_isa([&] {
      EXPECT_TRUE(same_bits(attention(p.q, expanded(p.k), expanded(p.v), p.options()), p.attend())) << p.text();
    });
  }
}

// Queries [begin, M): the corner bottom right and the window's center move along.
TEST(SameBits, AnySuffixOfTheQueriesEqualsItsRows) {
  for (const Problem& p : assorted()) {
    if (p.causal == Causal::kTopLeft) continue;
    under_every_isa([&] {
      const AttentionResult whole = p.attend();
      for (int64_t begin : {1, 5, 97, 144, 148, 149}) {
        const auto q = slice(p.q.view(), 2, begin, 150 - begin);
        expect_part(whole, 2, begin, 150 - begin, attention(q, p.k, p.v, slice(p.options(), 2, begin, 150 - begin)));
      }
    });
  }
}

TEST(SameBits, AnyPrefixOfTheQueriesEqualsItsRows) {
  for (const Problem& p : assorted()) {
    if (p.causal == Causal::kBottomRight || p.window.left >= 0) continue;
    under_every_isa([&] {
      const AttentionResult whole = p.attend();
      for (int64_t count : {1, 2, 6, 50, 149}) {
        const auto q = slice(p.q.view(), 2, 0, count);
        expect_part(whole, 2, 0, count, attention(q, p.k, p.v, slice(p.options(), 2, 0, count)));
      }
    });
  }
}

// Decoding: token i alone with the keys up to it, as a cache holds them, equals row i of the full causal pass.
TEST(SameBits, DecodingTokenByTokenEqualsTheFullPass) {
  for (Window window : {Window{}, Window{.left = 540, .right = 0}}) {
    Problem p = make_problem({.H = 4, .G = 2, .M = 1100, .N = 1100, .D = 16, .E = 16});
    p.causal = Causal::kBottomRight;
    p.window = window;
    under_every_isa([&] {
      const AttentionResult whole = p.attend();
      for (int64_t i = 0; i < 1100; i += i == 510 || i == 511 || i == 1023 ? 1 : 17) {
        expect_part(whole, 2, i, 1,
                    attention(slice(p.q.view(), 2, i, 1), slice(p.k.view(), 2, 0, i + 1),
                              slice(p.v.view(), 2, 0, i + 1), p.options()));
      }
    });
  }
}

// Every row alone, unmasked: no row may lean on its neighbours in the register tile.
TEST(SameBits, EachQueryAloneEqualsItsRow) {
  const Problem p = make_problem({.H = 2, .G = 1, .M = 29, .N = 77, .D = 80, .E = 80});
  under_every_isa([&] {
    const AttentionResult whole = p.attend();
    for (int64_t i = 0; i < 29; ++i) {
      expect_part(whole, 2, i, 1, attention(slice(p.q.view(), 2, i, 1), p.k, p.v, p.options()));
    }
  });
}

TEST(SameBits, WithALensOrWithout) {
  const std::vector<LensRequest> requests{
      {}, {.top_k = 4}, {.entropy = true}, {.received = true}, {.heatmap = 5}, {.rows = {3, -2}}, everything()};
  for (const Problem& p : assorted()) {
    under_every_isa([&] {
      const AttentionResult plain = p.attend();
      for (const LensRequest& request : requests) {
        AttentionResult seen{Tensor<float, 4>(plain.out.sizes()), Tensor<float, 3>(plain.lse.sizes())};
        attention_and_look(p.q, p.k, p.v, p.options(), request, seen.out, seen.lse.view());
        EXPECT_TRUE(same_bits(seen, plain)) << p.text();
      }
    });
  }
}

TEST(SameBits, CalledAgainOrFromSeveralThreadsAtOnce) {
  const Problem p = make_problem({.H = 3, .G = 3, .M = 60, .N = 700, .D = 32, .E = 32});
  const AttentionResult first = p.attend();
  std::vector<int> equal(4, 0);
  detail::on_threads(4, [&, next = std::make_shared<std::atomic<int>>(0)] {
    const int mine = (*next)++;
    for (int round = 0; round < 5; ++round) equal[mine] += static_cast<bool>(same_bits(p.attend(), first));
  });
  for (int count : equal) EXPECT_EQ(count, 5);
}

}  // namespace
}  // namespace limelight::testing
