// Boolean and additive masks: every broadcast shape and stride, rows without keys, finite masks as plain arithmetic.
#include <gtest/gtest.h>

#include <cfloat>

#include "tests/attention/compare.h"
#include "tests/attention/layout.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

void expect_dead(const AttentionResult& r, int64_t b, int64_t h, int64_t i) {
  for (int64_t e = 0; e < r.out.sizes()[3]; ++e) EXPECT_EQ(r.out(b, h, i, e), 0) << "row " << i;
  EXPECT_EQ(r.lse(b, h, i), -kInfinity) << "row " << i;
}

Tensor<float, 4> filled(const std::array<int64_t, 4>& sizes, float value) {
  Tensor<float, 4> tensor(sizes);
  std::fill_n(tensor.data(), tensor.count(), value);
  return tensor;
}

TEST(Masks, CausalAndMaskMayEmptyARowTogether) {
  Problem p = make_problem({.M = 4, .N = 4, .D = 8, .E = 8});
  p.causal = Causal::kBottomRight;
  p.mask = Tensor<uint8_t, 4>({1, 1, 4, 4});
  for (int64_t i = 0; i < 4; ++i) (*p.mask)(0, 0, i, 2) = 1;  // key 2 alone, which rows 0 and 1 come too early for
  under_every_isa([&] {
    const AttentionResult found = p.attend();
    EXPECT_TRUE(Judge(p).agrees(found));
    expect_dead(found, 0, 0, 0);
    expect_dead(found, 0, 0, 1);
    for (int64_t e = 0; e < 8; ++e) EXPECT_EQ(found.out(0, 0, 3, e), p.v(0, 0, 2, e));
  });
}

TEST(Masks, LeadingTilesAtTheLowestFloatCountAsNothing) {
  for (int64_t low : {128, 512, 600}) {
    const int64_t n = low + 313;
    Problem p = make_problem({.M = n, .N = n, .D = 64, .E = 64});
    p.bias = Tensor<float, 4>({1, 1, 1, n});
    for (int64_t j = 0; j < low; ++j) (*p.bias)(0, 0, 0, j) = -FLT_MAX;
    Problem rest = make_problem({.M = n, .N = n - low, .D = 64, .E = 64});
    rest.q = p.q.clone();
    rest.k = copy_of(slice(p.k.view(), 2, low, n - low));
    rest.v = copy_of(slice(p.v.view(), 2, low, n - low));
    const Judge judge(rest);
    under_every_isa([&] { EXPECT_TRUE(judge.agrees(p.attend())) << low; });
  }
}

// -65504 everywhere, the lowest f16, is a shift; twice the lowest float is minus infinity, which masks.
TEST(Masks, SumsThatOverflowMaskAndSumsThatDoNotShift) {
  Problem p = make_problem({.M = 2, .N = 5, .D = 4, .E = 4});
  const AttentionResult plain = p.attend();
  p.bias = filled({1, 1, 2, 5}, -65504);
  under_every_isa([&] {
    const AttentionResult found = p.attend();
    EXPECT_TRUE(Judge(p).agrees(found));
    EXPECT_LE(error_of(found.out, plain.out).max, 1e-2);
  });
  p.scale = FLT_MAX;  // every score is far below -1, so that scale q.k overflows
  for (int64_t d = 0; d < 4; ++d) {
    for (int64_t i = 0; i < 2; ++i) p.q(0, 0, i, d) = -4;
    for (int64_t j = 0; j < 5; ++j) p.k(0, 0, j, d) = 4;
  }
  under_every_isa([&] {
    const AttentionResult found = p.attend();
    expect_dead(found, 0, 0, 0);
    expect_dead(found, 0, 0, 1);
  });
}

TEST(Masks, NonzeroMeansAttend) {
  Problem p = make_problem({.M = 1, .N = 4, .D = 8, .E = 8});
  p.mask = Tensor<uint8_t, 4>({1, 1, 1, 4});
  const uint8_t holes[] = {1, 0, 255, 2};
  std::copy_n(holes, 4, p.mask->data());
  const Judge judge(p);
  EXPECT_EQ(judge.exact.blocked(0, 0, 0, 1), 1);
  EXPECT_EQ(judge.exact.blocked(0, 0, 0, 2), 0);
  under_every_isa([&] { EXPECT_TRUE(judge.agrees(p.attend())); });
  (*p.mask)(0, 0, 0, 3) = 0;  // the newest key masked
  under_every_isa([&] { EXPECT_TRUE(Judge(p).agrees(p.attend())); });
}

// Each axis of [B, H, M, N] its own size or 1: sixteen shapes.
TEST(Masks, EveryBroadcastShapeEqualsTheMaterialisedMaskInBits) {
  Problem p = make_problem({.B = 2, .H = 4, .G = 2, .M = 9, .N = 35, .D = 8, .E = 8});
  const std::array<int64_t, 4> full{2, 4, 9, 35};
  Random random(3);
  for (int subset = 0; subset < 16; ++subset) {
    std::array<int64_t, 4> sizes{1, 1, 1, 1};
    for (int axis = 0; axis < 4; ++axis) sizes[axis] = (subset >> axis & 1) != 0 ? full[axis] : 1;
    const Tensor<uint8_t, 4> mask = random_mask(sizes, 0.7, random);
    const Tensor<float, 4> bias = random_tensor(sizes, random);
    TensorView<const uint8_t, 4> wide_mask = mask;
    TensorView<const float, 4> wide_bias = bias;
    for (int axis = 0; axis < 4; ++axis) {
      if (sizes[axis] == 1) wide_mask.strides[axis] = wide_bias.strides[axis] = 0;
    }
    wide_mask.sizes = wide_bias.sizes = full;
    const Tensor<uint8_t, 4> whole_mask = copy_of(wide_mask);
    const Tensor<float, 4> whole_bias = copy_of(wide_bias);
    under_every_isa([&] {
      const AttentionResult expected = attention(p.q, p.k, p.v, {.bias = whole_bias, .mask = whole_mask});
      EXPECT_TRUE(same_bits(attention(p.q, p.k, p.v, {.bias = bias, .mask = mask}), expected)) << subset;
      EXPECT_TRUE(same_bits(attention(p.q, p.k, p.v, {.bias = wide_bias, .mask = wide_mask}), expected)) << subset;
    });
  }
}

TEST(Masks, EveryLayoutOfAMaskGivesTheSameBits) {
  Problem p = make_problem({.B = 2, .H = 2, .G = 2, .M = 9, .N = 530, .D = 8, .E = 8});
  Random random(4);
  p.mask = random_mask({2, 2, 9, 530}, 0.7, random);
  p.bias = random_tensor({2, 2, 9, 530}, random);
  under_every_isa([&] {
    const AttentionResult expected = p.attend();
    for (const Layout& layout : layouts()) {
      const Laid<uint8_t> mask(layout, *p.mask, 1);
      const Laid<float> bias(layout, *p.bias, kNaN);
      EXPECT_TRUE(same_bits(attention(p.q, p.k, p.v, {.bias = bias.view(), .mask = mask.view()}), expected))
          << layout.name;
    }
  });
}

}  // namespace
}  // namespace limelight::testing
