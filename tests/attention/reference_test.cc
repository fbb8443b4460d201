// The reference against numbers worked out by hand, and against laws that every softmax obeys.
#include "attention/reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/attention/compare.h"
#include "tests/attention/problem.h"
#include "tests/attention/random_problem.h"

namespace limelight::testing {
namespace {

Tensor<float, 4> numbers(const std::array<int64_t, 4>& sizes, std::initializer_list<float> values) {
  Tensor<float, 4> tensor(sizes);
  std::copy(values.begin(), values.end(), tensor.data());
  return tensor;
}

// One query 2, keys log 1, log 2, log 5 over 2, so that with scale 1 the scores are log 1, log 2, log 5.
struct Eighths {
  Tensor<float, 4> q = numbers({1, 1, 1, 1}, {2});
  Tensor<float, 4> k = numbers({1, 1, 3, 1}, {0, std::log(2.0f) / 2, std::log(5.0f) / 2});
  Tensor<float, 4> v = numbers({1, 1, 3, 2}, {8, 0, 16, 0, 0, 80});
};

TEST(Reference, WeightsOfLogarithmsAreTheirShares) {
  const Eighths e;
  const auto result = detail::reference_attention<double>(e.q, e.k, e.v, {.scale = 1.0f});
  EXPECT_NEAR(result.weights(0, 0, 0, 0), 1 / 8.0, 1e-7);
  EXPECT_NEAR(result.weights(0, 0, 0, 1), 2 / 8.0, 1e-7);
  EXPECT_NEAR(result.weights(0, 0, 0, 2), 5 / 8.0, 1e-7);
  EXPECT_NEAR(result.lse(0, 0, 0), std::log(8.0), 1e-7);
  EXPECT_NEAR(result.out(0, 0, 0, 0), 5, 1e-6);
  EXPECT_NEAR(result.out(0, 0, 0, 1), 50, 1e-5);
}

TEST(Reference, LensReadsOffTheShares) {
  const Eighths e;
  const auto result = detail::reference_attention<double>(e.q, e.k, e.v, {.scale = 1.0f});
  const auto lens = detail::reference_lens(result, 2, 1);
  EXPECT_EQ(lens.top_index(0, 0, 0, 0), 2);
  EXPECT_EQ(lens.top_index(0, 0, 0, 1), 1);
  EXPECT_NEAR(lens.top_weight(0, 0, 0, 1), 0.25, 1e-7);
  EXPECT_NEAR(lens.received(0, 0, 2), 0.625, 1e-7);
  EXPECT_NEAR(lens.entropy(0, 0, 0), std::log(8.0) - 2 / 8.0 * std::log(2.0) - 5 / 8.0 * std::log(5.0), 1e-7);
  EXPECT_NEAR(lens.heatmap_sum(0, 0, 0, 0), 1, 1e-12);
  EXPECT_NEAR(lens.heatmap_max(0, 0, 0, 0), 0.625, 1e-7);
}

TEST(Reference, SoftcapBoundsTheScoreBeforeTheBias) {
  const Eighths e;
  const Tensor<float, 4> bias = numbers({1, 1, 1, 3}, {0, 0, 3});
  const auto result = detail::reference_attention<double>(e.q, e.k, e.v, {.scale = 1.0f, .softcap = 1, .bias = bias});
  const double s1 = std::tanh(std::log(2.0)), s2 = std::tanh(std::log(5.0)) + 3;
  EXPECT_NEAR(result.lse(0, 0, 0), std::log(1 + std::exp(s1) + std::exp(s2)), 1e-6);
}

TEST(Reference, BlockedIsMaskedOrMinusInfinity) {
  const Eighths e;
  const Tensor<float, 4> bias = numbers({1, 1, 1, 3}, {-kInfinity, 0, 0});
  Tensor<uint8_t, 4> mask({1, 1, 1, 3});
  mask(0, 0, 0, 0) = mask(0, 0, 0, 1) = 1;
  const auto result = detail::reference_attention<double>(e.q, e.k, e.v, {.bias = bias, .mask = mask});
  EXPECT_EQ(result.blocked(0, 0, 0, 0), 1);
  EXPECT_EQ(result.blocked(0, 0, 0, 1), 0);
  EXPECT_EQ(result.blocked(0, 0, 0, 2), 1);
  EXPECT_EQ(result.weights(0, 0, 0, 1), 1);
  EXPECT_EQ(result.out(0, 0, 0, 0), 16);
}

TEST(Reference, RowsAddToOneAndDeadRowsToZero) {
  Problem p = make_problem({.B = 2, .H = 4, .G = 2, .M = 9, .N = 5, .D = 3, .E = 4});
  p.causal = Causal::kBottomRight;
  const auto result = detail::reference_attention<double>(p.q, p.k, p.v, p.options());
  for (int64_t i = 0; i < 9; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < 5; ++j) sum += result.weights(1, 3, i, j);
    EXPECT_NEAR(sum, i < 4 ? 0 : 1, 1e-14) << i;
    EXPECT_EQ(std::isinf(result.lse(1, 3, i)), i < 4) << i;
  }
}

// With scale 1 and sink log 8 the shares of 1, 2, 5 and the sink are sixteenths.
TEST(Reference, SinkTakesItsShareAndGivesNothing) {
  const Eighths e;
  Tensor<float, 1> sinks({1});
  sinks(0) = std::log(8.0f);
  const auto result = detail::reference_attention<double>(e.q, e.k, e.v, {.scale = 1.0f, .sinks = sinks});
  EXPECT_NEAR(result.weights(0, 0, 0, 2), 5 / 16.0, 1e-7);
  EXPECT_NEAR(result.sink_share(0, 0, 0), 8 / 16.0, 1e-7);
  EXPECT_NEAR(result.lse(0, 0, 0), std::log(16.0), 1e-7);
  EXPECT_NEAR(result.out(0, 0, 0, 1), 25, 1e-5);
}

TEST(Reference, RowWithoutKeysHasTheSinkForItsLse) {
  const Eighths e;
  Tensor<float, 1> sinks({1});
  sinks(0) = -3;
  const Tensor<int64_t, 1> none({1});
  const auto result = detail::reference_attention<double>(e.q, e.k, e.v, {.sinks = sinks, .key_lengths = none});
  EXPECT_EQ(result.lse(0, 0, 0), -3);
  EXPECT_EQ(result.sink_share(0, 0, 0), 1);
  EXPECT_EQ(result.out(0, 0, 0, 0), 0);
}

// Equal scores: what is left is slope (j - (i + N - M)), the same for either corner.
TEST(Reference, AlibiFallsWithTheDistanceFromTheQuerysOwnKey) {
  Problem p = make_problem({.B = 2, .M = 3, .N = 5});
  p.scale = 0.0f;
  p.alibi_slopes = Tensor<float, 2>({2, 1});
  (*p.alibi_slopes)(0, 0) = 0.5f, (*p.alibi_slopes)(1, 0) = 2;
  for (const Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    p.causal = causal;
    const auto result = detail::reference_attention<double>(p.q, p.k, p.v, p.options());
    for (int64_t i = 0; i < 3; ++i) {
      const double lse0 = result.lse(0, 0, i), lse1 = result.lse(1, 0, i);
      for (int64_t j = 0; j < 5; ++j) {
        if (result.blocked(0, 0, i, j)) continue;
        const double distance = static_cast<double>(j - (i + 2));
        EXPECT_NEAR(result.weights(0, 0, i, j), std::exp(0.5 * distance - lse0), 1e-14);
        EXPECT_NEAR(result.weights(1, 0, i, j), std::exp(2 * distance - lse1), 1e-14);
      }
    }
  }
}

TEST(Reference, SlopesOfAlibiForAnyNumberOfHeads) {
  const auto powers = [](std::initializer_list<float> exponents) {
    std::vector<float> slopes;
    for (float x : exponents) slopes.push_back(std::exp2(-x));
    return slopes;
  };
  EXPECT_EQ(alibi_slopes(0), powers({}));
  EXPECT_EQ(alibi_slopes(1), powers({8}));
  EXPECT_EQ(alibi_slopes(3), powers({4, 8, 2}));
  EXPECT_EQ(alibi_slopes(8), powers({1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(alibi_slopes(12), powers({1, 2, 3, 4, 5, 6, 7, 8, 0.5f, 1.5f, 2.5f, 3.5f}));
  EXPECT_THROW(alibi_slopes(-1), std::invalid_argument);
}

// The identity as v shows each factor: out_ij = p_ij K_ij.
TEST(Reference, DropoutTakesWeightsAwayAndRaisesTheRest) {
  constexpr int64_t kKeys = 400;
  Problem p = make_problem({.M = 50, .N = kKeys, .E = kKeys});
  for_each_index(p.v.sizes(), [&](int64_t, int64_t, int64_t j, int64_t e) { p.v(0, 0, j, e) = j == e; });
  p.dropout = {0.25f, 3, 4};
  const auto result = detail::reference_attention<double>(p.q, p.k, p.v, p.options());
  int64_t dropped = 0;
  for_each_index(result.weights.sizes(), [&](auto... at) {
    const double factor = result.out(at...) / result.weights(at...);
    if (factor == 0) ++dropped;
    if (factor != 0) {
      EXPECT_NEAR(factor, 1 / 0.75, 1e-7);
    }
  });
  // Of 20000 draws: 5000, five standard deviations of 61 to either side.
  EXPECT_NEAR(static_cast<double>(dropped), 5000, 5 * 61.3);
}

// A pack, pages, key lengths and storage are ways to write down plain calls: no bit is another.
TEST(Reference, SequenceAloneHasTheSameBits) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    RandomProblem r = random_problem(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + r.text());
    r.problem.dropout = {};
    const StoredProblem p(r);
    const auto all = detail::reference_attention<double>(p.q.view(), p.k.view(), p.v.view(), p.options);
    for (size_t s = 0; s < all.sequences.size(); ++s) {
      const Problem one = alone(r.problem, static_cast<int64_t>(s));
      const auto single = detail::reference_attention<double>(one.q, one.k, one.v, one.options());
      const auto cut = [&](const auto& view) {
        const auto& sequence = all.sequences[s];
        return copy_of(slice(slice(view, 0, sequence.batch, 1), 2, sequence.first_query, sequence.queries));
      };
      const auto columns = [&](const auto& rows) {
        return copy_of(slice(rows.view(), 3, all.sequences[s].first_column, all.sequences[s].columns));
      };
      ASSERT_TRUE(same_bits(cut(all.out.view()), single.out));
      ASSERT_TRUE(same_bits(cut(all.lse.view()), single.lse));
      ASSERT_TRUE(same_bits(columns(cut(all.weights.view())), single.weights));
      ASSERT_TRUE(same_bits(columns(cut(all.blocked.view())), single.blocked));
    }
  }
}

// Keys 0 .. 4 and 5 .. 11 of twelve: lse = log sum exp(lse_p), out = sum exp(lse_p - lse) out_p.
TEST(Reference, PartsOfTheKeysMakeTheWhole) {
  Problem p = make_problem({.H = 2, .G = 1, .M = 9, .N = 12});
  p.causal = Causal::kBottomRight, p.window.left = 6, p.dropout = {0.5f, 1, 2};
  p.alibi_slopes = Tensor<float, 2>({1, 2});
  (*p.alibi_slopes)(0, 1) = 0.5f;
  const auto whole = detail::reference_attention<double>(p.q, p.k, p.v, p.options());
  const auto part = [&](int64_t first, int64_t count) {
    AttentionOptions options = p.options();
    options.part = KeyPart{first, 12};
    return detail::reference_attention<double>(p.q, slice(p.k.view(), 2, first, count),
                                               slice(p.v.view(), 2, first, count), options);
  };
  const auto a = part(0, 5), b = part(5, 7);
  for_each_index(whole.out.sizes(), [&](int64_t n, int64_t h, int64_t i, int64_t e) {
    const double lse = whole.lse(n, h, i);
    EXPECT_NEAR(std::log(std::exp(a.lse(n, h, i)) + std::exp(b.lse(n, h, i))), lse, 1e-13);
    const double out =
        std::exp(a.lse(n, h, i) - lse) * a.out(n, h, i, e) + std::exp(b.lse(n, h, i) - lse) * b.out(n, h, i, e);
    EXPECT_NEAR(out, whole.out(n, h, i, e), 1e-13);
  });
}

TEST(Reference, HeatmapOfAPackPoolsOverThePack) {
  Problem p = make_problem({.M = 4, .N = 8});
  p.scale = 0.0f;
  p.cu_q = Tensor<int64_t, 1>({3}), p.cu_k = Tensor<int64_t, 1>({3});
  (*p.cu_q)(1) = 2, (*p.cu_q)(2) = 4, (*p.cu_k)(1) = 4, (*p.cu_k)(2) = 8;
  const auto lens = detail::reference_lens(detail::reference_attention<double>(p.q, p.k, p.v, p.options()), 9, 2);
  EXPECT_EQ(lens.heatmap_sum(0, 0, 0, 0), 2);
  EXPECT_EQ(lens.heatmap_sum(0, 0, 0, 1), 0);
  EXPECT_EQ(lens.heatmap_sum(0, 0, 1, 1), 2);
  EXPECT_EQ(lens.heatmap_max(0, 0, 1, 1), 0.25);
  EXPECT_EQ(lens.top_index(0, 0, 2, 0), 4);
  EXPECT_EQ(lens.top_index(0, 0, 2, 4), -1);
}

}  // namespace
}  // namespace limelight::testing
