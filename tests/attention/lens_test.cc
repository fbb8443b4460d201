// The lens: rows, top-k, received mass, entropy and heatmap as the reference has them, and the sums that must hold.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

LensRequest everything(int64_t m, int64_t top_k = 5, int64_t heatmap = 7) {
  LensRequest request{.top_k = top_k, .received = true, .entropy = true, .heatmap = heatmap};
  for (int64_t i = 0; i < m; ++i) request.rows.push_back(i);
  return request;
}

std::vector<Problem> assorted() {
  std::vector<Problem> all;
  Random random(21);
  for (int kind = 0; kind < 6; ++kind) {
    Problem p = make_problem({.B = 2, .H = 4, .G = 2, .M = 61, .N = 540, .D = 16, .E = 8}, 200 + kind);
    if (kind == 1) p.causal = Causal::kBottomRight;
    if (kind == 2) p.causal = Causal::kTopLeft, p.window = {.left = 20, .right = 0};
    if (kind == 3) p.bias = random_tensor({1, 4, 61, 540}, random), p.softcap = 3;
    if (kind == 4) {
      p.mask = random_mask({2, 1, 61, 540}, 0.1, random);
      std::fill_n(&(*p.mask)(1, 0, 9, 0), 540, uint8_t{0});
    }
    if (kind == 5) {
      p.causal = Causal::kBottomRight;
      p.key_lengths = Tensor<int64_t, 1>({2});
      (*p.key_lengths)(0) = 40, (*p.key_lengths)(1) = 513;
    }
    all.push_back(std::move(p));
  }
  return all;
}

TEST(Lens, EverythingAgreesWithTheReference) {
  for (const Problem& p : assorted()) {
    const Judge judge(p);
    const LensRequest request = everything(p.shape.M);
    under_every_isa([&] { EXPECT_TRUE(judge.agrees(look(p.q, p.k, p.options(), request), request)) << p.text(); });
  }
}

TEST(Lens, LookEqualsAttentionAndLookInBits) {
  for (const Problem& p : assorted()) {
    const LensRequest request = everything(p.shape.M);
    under_every_isa([&] {
      Tensor<float, 4> out({2, 4, 61, 8});
      const LensResult both = attention_and_look(p.q, p.k, p.v, p.options(), request, out);
      EXPECT_TRUE(same_bits(look(p.q, p.k, p.options(), request), both)) << p.text();
    });
  }
}

TEST(Lens, AskingForMoreDoesNotChangeTheBitsOfTheRest) {
  for (const Problem& p : assorted()) {
    const LensRequest all = everything(p.shape.M);
    under_every_isa([&] {
      const LensResult whole = look(p.q, p.k, p.options(), all);
      const auto only = [&](const LensRequest& request) { return look(p.q, p.k, p.options(), request); };
      EXPECT_TRUE(same_bits(only({.rows = all.rows}).rows, whole.rows));
      EXPECT_TRUE(same_bits(only({.top_k = 5}).top_weight, whole.top_weight));
      EXPECT_TRUE(same_bits(only({.top_k = 5}).top_index, whole.top_index));
      EXPECT_TRUE(same_bits(only({.received = true}).received, whole.received)) << p.text();
      EXPECT_TRUE(same_bits(only({.entropy = true}).entropy, whole.entropy));
      EXPECT_TRUE(same_bits(only({.heatmap = 7}).heatmap_sum, whole.heatmap_sum));
      EXPECT_TRUE(same_bits(only({.heatmap = 7}).heatmap_max, whole.heatmap_max));
      const LensResult row = only({.rows = {17}});
      EXPECT_TRUE(same_bits(row.rows, copy_of(slice(whole.rows.view(), 2, 17, 1))));
    });
  }
}

TEST(Lens, NothingAskedIsEmpty) {
  const Problem p = make_problem({.M = 3, .N = 4});
  const LensResult lens = look(p.q, p.k, p.options(), {});
  EXPECT_EQ(lens.rows.count() + lens.rows_blocked.count() + lens.top_index.count() + lens.top_weight.count(), 0);
  EXPECT_EQ(lens.received.count() + lens.entropy.count() + lens.heatmap_sum.count() + lens.heatmap_max.count(), 0);
}

TEST(Lens, RowsAddToOneReceivedAndHeatmapToTheLiveRows) {
  for (const Problem& p : assorted()) {
    const Judge judge(p);
    under_every_isa([&] {
      const LensResult lens = look(p.q, p.k, p.options(), everything(61));
      for (int64_t at = 0; at < 8; ++at) {
        const int64_t b = at / 4, h = at % 4;
        double live = 0, received = 0, pooled = 0;
        for (int64_t i = 0; i < 61; ++i) {
          double sum = 0;
          for (int64_t j = 0; j < 540; ++j) sum += lens.rows(b, h, i, j);
          const bool dead = judge.exact.lse(b, h, i) == -kInfinity;
          EXPECT_NEAR(sum, dead ? 0 : 1, 1e-6);
          live += !dead;
        }
        for (int64_t j = 0; j < 540; ++j) received += lens.received(b, h, j);
        for (int64_t cell = 0; cell < 49; ++cell) pooled += lens.heatmap_sum(b, h, cell / 7, cell % 7);
        EXPECT_NEAR(received, live, 1e-6 * 61) << p.text();
        EXPECT_NEAR(pooled, live, 1e-6 * 61) << p.text();
      }
    });
  }
}

TEST(Lens, WeightsTimesValuesEqualTheOutput) {
  for (const Problem& p : assorted()) {
    under_every_isa([&] {
      const AttentionResult found = p.attend();
      const LensResult lens = look(p.q, p.k, p.options(), everything(61));
      double error = 0;
      for (int64_t b = 0; b < 2; ++b) {
        for (int64_t row = 0; row < 4 * 61; ++row) {
          const int64_t h = row / 61, i = row % 61;
          for (int64_t e = 0; e < 8; ++e) {
            double sum = 0;
            for (int64_t j = 0; j < 540; ++j) sum += lens.rows(b, h, i, j) * p.v(b, h / 2, j, e);
            error = std::max(error, difference(found.out(b, h, i, e), sum));
          }
        }
      }
      EXPECT_LE(error, 2e-6) << p.text();
    });
  }
}

TEST(Lens, NegativeAndRepeatedRowsCountFromTheEndAndRepeat) {
  const Problem p = make_problem({.H = 2, .G = 1, .M = 9, .N = 20});
  const LensResult all = look(p.q, p.k, p.options(), everything(9));
  const LensResult some = look(p.q, p.k, p.options(), {.rows = {-1, 3, 3, -9}});
  const int64_t expected[] = {8, 3, 3, 0};
  for (int64_t r = 0; r < 4; ++r) {
    EXPECT_TRUE(
        same_bits(copy_of(slice(some.rows.view(), 2, r, 1)), copy_of(slice(all.rows.view(), 2, expected[r], 1))));
  }
}

TEST(Lens, MoreRowsThanOneTaskHoldsAreAllThere) {
  Problem p = make_problem({.H = 4, .G = 1, .M = 130, .N = 33});
  p.causal = Causal::kBottomRight;
  const LensRequest request = everything(130);
  under_every_isa([&] { EXPECT_TRUE(Judge(p).agrees(look(p.q, p.k, p.options(), request), request)); });
}

// Blocked is a state: a masked key, by whatever means, and no live key however small its weight.
TEST(Lens, BlockedExactlyWhereMasked) {
  Problem p = make_problem({.M = 4, .N = 6});
  p.causal = Causal::kBottomRight;
  p.bias = Tensor<float, 4>({1, 1, 4, 6});
  p.mask = Tensor<uint8_t, 4>({1, 1, 1, 6});
  std::fill_n(p.mask->data(), 6, uint8_t{1});
  (*p.mask)(0, 0, 0, 1) = 0;
  (*p.bias)(0, 0, 2, 0) = -kInfinity;
  (*p.bias)(0, 0, 2, 2) = -1e30f;
  under_every_isa([&] {
    const LensResult lens = look(p.q, p.k, p.options(), everything(4));
    std::string text;
    for (int64_t n = 0; n < 24; ++n) text += lens.rows_blocked.data()[n] != 0 ? '.' : 'x';
    EXPECT_EQ(text,
              "x.x..."
              "x.xx.."
              "..xxx."
              "x.xxxx");
    EXPECT_EQ(lens.rows(0, 0, 2, 2), 0);
  });
}

}  // namespace
}  // namespace limelight::testing
