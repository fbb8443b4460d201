// Numbers at their limits: large products, very negative scores, the softcap, slopes, lse, the processor's own state.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#include "limelight/merge.h"
#include "tests/attention/bug_cases.h"

namespace limelight::testing {
namespace {

void fill(Tensor<float, 4>& tensor, float value) {
  std::fill_n(tensor.data(), tensor.count(), value);
}

Problem constant(const Shape& shape, float q, float k) {
  Problem p = make_problem(shape);
  fill(p.q, q), fill(p.k, k);
  return p;
}

double mean_value(const Problem& p, int64_t e) {
  double sum = 0;
  for (int64_t j = 0; j < p.shape.N; ++j) sum += p.v(0, 0, j, e);
  return sum / static_cast<double>(p.shape.N);
}

// ggml-org/llama.cpp#7805; ikawrakow/ik_llama.cpp#1196; mlc-ai/mlc-llm#1638: the product 115200 and the sum of 64
// values of 60000 are beyond f16.
TEST(NumberCases, ProductsAndSumsOfHalfTensorsAreFormedInF32) {
  Problem p = constant({.M = 3, .N = 64, .D = 128, .E = 8}, 30, 30);
  fill(p.v, 60000);
  for (Storage storage : {Storage::kF16, Storage::kBf16}) {
    narrow(p, storage);
    const float value = p.v(0, 0, 0, 0);
    under_every_isa([&] {
      const Everything found = everything_in(p, storage);
      for (int64_t n = 0; n < found.attention.out.count(); ++n) ASSERT_EQ(found.attention.out.data()[n], value);
      EXPECT_NEAR(found.attention.lse(0, 0, 0), 115200 / std::sqrt(128.0) + std::log(64.0), 2e-3);
      for (int64_t n = 0; n < found.gradients.dq.count(); ++n) ASSERT_TRUE(std::isfinite(found.gradients.dq.data()[n]));
      for (int64_t j = 1; j < 64; ++j) EXPECT_EQ(found.gradients.dv(0, 0, j, 0), found.gradients.dv(0, 0, 0, 0));
    });
  }
}

// flashinfer-ai/flashinfer#4267, #4401: no finite number may stand for "no maximum yet".
TEST(NumberCases, ScoresBelowAnySentinelStillGiveTheMean) {
  for (int64_t n : {70, 600}) {
    const Problem p = constant({.M = 3, .N = n, .D = 64, .E = 16}, 40, -40);
    under_every_isa([&] {
      const Everything found = everything(p);
      for (int64_t e = 0; e < 16; ++e) EXPECT_NEAR(found.attention.out(0, 0, 0, e), mean_value(p, e), 1e-6);
      EXPECT_NEAR(found.attention.lse(0, 0, 0), -102400.0 / 8 + std::log(static_cast<double>(n)), 2e-3);
      EXPECT_NEAR(found.lens.rows(0, 0, 0, 0), 1 / static_cast<double>(n), 1e-8);
    });
  }
}

// The magnitudes of a reported model: |q| to 448, |k| to 1880, products to -2.45e5.
TEST(NumberCases, ScoresOfLargeMagnitudeAgreeWithTheReference) {
  Problem p = make_problem({.H = 2, .G = 1, .M = 9, .N = 700, .D = 128, .E = 16});
  for (int64_t n = 0; n < p.q.count(); ++n) p.q.data()[n] *= 100;
  for (int64_t n = 0; n < p.k.count(); ++n) p.k.data()[n] *= 400;
  const Judge judge(p);
  under_every_isa([&] { EXPECT_TRUE(judge.agrees(p.attend())); });
}

// One query whose live keys all stand in the last of eight tiles: whoever works on the others finds nothing.
TEST(NumberCases, PiecesOfKeysWithoutALiveKeyAddNothing) {
  Problem p = make_problem({.H = 4, .G = 2, .M = 1, .N = 4096, .D = 64, .E = 64});
  p.mask = Tensor<uint8_t, 4>({1, 1, 1, 4096});
  std::fill_n(p.mask->data() + 4026, 70, uint8_t{1});
  const Judge judge(p);
  under_every_isa([&] {
    AttentionOptions options = p.options();
    options.run.threads = 1;
    const AttentionResult one = attention(p.q, p.k, p.v, options);
    EXPECT_TRUE(judge.agrees(one));
    options.run.threads = 2;
    ASSERT_GT(explain(p.q, p.k, p.v, options).key_splits, 1);
    EXPECT_TRUE(same_bits(attention(p.q, p.k, p.v, options), one));
  });
}

// What the host's floating point is set to: rounding, and whether subnormal numbers count.
struct FloatingPointState {
  int rounding = std::fegetround();
  bool subnormals = [] {
    const volatile double tiny = 1e-310;
    const volatile float small = 1e-40f;
    return tiny * 1.0 != 0 && small * 1.0f != 0;
  }();
  bool operator==(const FloatingPointState&) const = default;
};

// 1bit-MONSTER/1bit-MONSTER#1277; pytorch/glow#2073; ggml-org/ggml#1526; llvm/llvm-project#80475.
TEST(NumberCases, CallsLeaveTheFloatingPointStateAsFound) {
  const Problem p = make_problem({.H = 2, .G = 1, .M = 64, .N = 600, .D = 16, .E = 16});
  const FloatingPointState before;
  ASSERT_TRUE(before.subnormals);
  under_every_isa([&] {
    everything(p);
    everything_in(p, Storage::kF16);
    EXPECT_EQ(FloatingPointState(), before);
    std::fesetround(FE_DOWNWARD);
    everything(p);
    EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
    std::fesetround(before.rounding);
  });
}

// Dao-AILab/flash-attention#1025: cap before mask, or a small cap lets the future back in.
TEST(NumberCases, SoftcapLetsNoFutureKeyIn) {
  Problem p = make_problem({.M = 8, .N = 8, .D = 8, .E = 8});
  p.causal = Causal::kBottomRight;
  p.softcap = 1;
  expect_exact(p);
  under_every_isa([&] {
    const LensResult lens = everything(p).lens;
    for (int64_t i = 0; i < 8; ++i) {
      for (int64_t j = i + 1; j < 8; ++j) EXPECT_EQ(lens.rows(0, 0, i, j), 0);
    }
  });
}

// sgl-project/sgl-kernel-xpu#491; sgl-project/sglang#33915; NVIDIA/Megatron-LM#6590.
TEST(NumberCases, SoftcapActsForwardAndBackwardZeroIsOffAndNonsenseIsRefused) {
  Problem p = make_problem({.H = 2, .G = 1, .M = 9, .N = 40, .D = 16, .E = 16});
  p.scale = 3;
  std::vector<AttentionResult> results;
  for (float cap : {0.0f, 5.0f, 50.0f}) {
    p.softcap = cap;
    expect_exact(p);
    results.push_back(p.attend());
  }
  EXPECT_GT(error_of(results[0].out, results[1].out).max, 0.1);
  EXPECT_GT(error_of(results[1].out, results[2].out).max, 0.1);
  EXPECT_GT(error_of(results[0].out, results[2].out).max, 1e-3);
  for (float cap : {-1.0f, kInfinity, kNaN, 1e-40f}) {
    p.softcap = cap;
    EXPECT_THROW(p.attend(), std::invalid_argument) << cap;
    EXPECT_THROW(look(p.q, p.k, p.options(), {}), std::invalid_argument) << cap;
    EXPECT_THROW(explain(p.q, p.k, p.v, p.options()), std::invalid_argument) << cap;
  }
}

// ml-explore/mlx#343, #3071; paiml/aprender#2143; NVIDIA/TensorRT-LLM#1611.
TEST(NumberCases, AlibiSlopesFollowTheRuleForAnyNumberOfHeads) {
  const std::vector<std::vector<float>> exponents{
      {1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8, 0.5f, 1.5f, 2.5f, 3.5f}, {4, 8, 2}};
  for (const std::vector<float>& expected : exponents) {
    const int64_t heads = static_cast<int64_t>(expected.size());
    const std::vector<float> slopes = alibi_slopes(heads);
    ASSERT_EQ(slopes.size(), expected.size());
    for (size_t h = 0; h < slopes.size(); ++h) EXPECT_EQ(slopes[h], std::exp2(-expected[h])) << heads << " head " << h;
    Problem p = make_problem({.H = heads, .G = heads, .M = 6, .N = 9, .D = 8, .E = 8});
    p.causal = Causal::kBottomRight;
    p.alibi_slopes = Tensor<float, 2>({1, heads});
    std::copy(slopes.begin(), slopes.end(), p.alibi_slopes->data());
    expect_exact(p);
  }
}

// Dao-AILab/flash-attention#978, #404; lightseekorg/tokenspeed#571; flashinfer-ai/flashinfer#2114.
TEST(NumberCases, LseIsTheNaturalLogarithmOfTheFinalScoresAndMinusInfinityWithoutAny) {
  Problem p = make_problem({.M = 3, .N = 5, .D = 4, .E = 4});
  p.softcap = 2;
  p.scale = 1.5f;
  p.mask = Tensor<uint8_t, 4>({1, 1, 3, 5});
  std::fill_n(p.mask->data(), 10, uint8_t{1});
  (*p.mask)(0, 0, 0, 4) = 0;
  under_every_isa([&] {
    const AttentionResult found = p.attend();
    EXPECT_EQ(found.lse(0, 0, 2), -kInfinity);
    double sum = 0;
    for (int64_t j = 0; j < 4; ++j) {
      double s = 0;
      for (int64_t d = 0; d < 4; ++d) s += 1.5 * p.q(0, 0, 0, d) * p.k(0, 0, j, d);
      sum += std::exp(2 * std::tanh(s / 2));
    }
    EXPECT_NEAR(found.lse(0, 0, 0), std::log(sum), 1e-6);
    const AttentionResult none = make_problem({.M = 3, .N = 0, .D = 4, .E = 4}).attend();
    for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(none.lse(0, 0, i), -kInfinity);
  });
}

TEST(NumberCases, HalvesOfTheKeysMergeToTheWholeAlsoWhereOneIsEmpty) {
  const Problem p = make_problem({.H = 2, .G = 1, .M = 20, .N = 600, .D = 16, .E = 16});
  const Judge judge(p, 2);
  for (int64_t cut : {0, 1, 300, 600}) {
    under_every_isa([&] {
      const auto part = [&](int64_t begin, int64_t count) {
        return attention(p.q, slice(p.k.view(), 2, begin, count), slice(p.v.view(), 2, begin, count));
      };
      const AttentionResult a = part(0, cut), b = part(cut, 600 - cut);
      const std::vector<AttentionPart> parts{{a.out, a.lse}, {b.out, b.lse}};
      EXPECT_TRUE(judge.agrees(merge(parts))) << cut;
    });
  }
}

}  // namespace
}  // namespace limelight::testing
