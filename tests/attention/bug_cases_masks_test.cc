// Masks, boolean and additive: rows they empty, numbers they bring in, shapes and layouts they come in.
#include <gtest/gtest.h>

#include <cfloat>

#include "tests/attention/bug_cases.h"
#include "tests/attention/layout.h"

namespace limelight::testing {
namespace {

constexpr float kLowestF16 = -65504;
constexpr float kLowestBf16 = -0x1.fep127f;

void expect_dead_rows(const Problem& p, const std::vector<int64_t>& rows) {
  expect_exact(p);
  under_every_isa([&] {
    const Everything found = everything(p);
    for (int64_t h = 0; h < p.shape.H; ++h) {
      for (int64_t i : rows) expect_dead(found, 0, h, i);
    }
  });
}

// pytorch/pytorch#103963, #103749; tracel-ai/burn#4697; tenstorrent/tt-metal#56056.
TEST(MaskCases, EmptyRowIsZeroAndNeitherNaNNorUniform) {
  Problem square = make_problem({.M = 8, .N = 8, .D = 8, .E = 8});
  square.k = square.q.clone(), square.v = square.q.clone();
  square.mask = Tensor<uint8_t, 4>({1, 1, 8, 8});
  for_each_index({1, 1, 4, 4}, [&](auto... at) { (*square.mask)(at...) = 1; });
  expect_dead_rows(square, {4, 5, 6, 7});

  Problem steps = make_problem({.H = 2, .G = 2, .M = 6, .N = 10, .D = 8, .E = 8});
  steps.scale = 0.125f;
  steps.mask = Tensor<uint8_t, 4>({1, 1, 6, 10});
  for (int64_t i = 0; i < 5; ++i) std::fill_n(&(*steps.mask)(0, 0, i, 0), i + 1, uint8_t{1});
  expect_dead_rows(steps, {5});

  Problem jointly = make_problem({.M = 5, .N = 5, .D = 8, .E = 8});
  jointly.causal = Causal::kTopLeft;
  jointly.mask = Tensor<uint8_t, 4>({1, 1, 1, 5});
  (*jointly.mask)(0, 0, 0, 3) = 1;  // which rows 0 to 2 come too early for
  expect_dead_rows(jointly, {0, 1, 2});
}

// pytorch/pytorch#110213.
TEST(MaskCases, LowestFiniteFloatOnAWholeRowIsTheMeanOfItsValues) {
  Problem p = make_problem({.M = 3, .N = 3, .D = 4, .E = 4});
  const AttentionResult plain = p.attend();
  p.bias = filled({1, 1, 3, 3}, 1);
  std::fill_n(p.bias->data(), 3, -FLT_MAX);
  expect_exact(p);
  under_every_isa([&] {
    const AttentionResult found = p.attend();
    for (int64_t e = 0; e < 4; ++e) {
      EXPECT_NEAR(found.out(0, 0, 0, e), (p.v(0, 0, 0, e) + p.v(0, 0, 1, e) + p.v(0, 0, 2, e)) / 3, 1e-6);
      for (int64_t i : {1, 2}) EXPECT_NEAR(found.out(0, 0, i, e), plain.out(0, 0, i, e), 1e-6);
    }
  });
}

// pytorch/pytorch#109517.
TEST(MaskCases, LowestFiniteFloatOnTheFirstKeysLeavesTheOthersResult) {
  constexpr int64_t kLength = 441, kLow = 128;
  Problem p = make_problem({.M = kLength, .N = kLength, .D = 64, .E = 64});
  p.bias = Tensor<float, 4>({1, 1, 1, kLength});
  std::fill_n(p.bias->data(), kLow, -FLT_MAX);
  Problem rest = make_problem({.M = kLength, .N = kLength - kLow, .D = 64, .E = 64});
  rest.q = p.q.clone();
  rest.k = copy_of(slice(p.k.view(), 2, kLow, kLength - kLow));
  rest.v = copy_of(slice(p.v.view(), 2, kLow, kLength - kLow));
  const Judge judge(rest);
  under_every_isa([&] {
    EXPECT_TRUE(judge.agrees(p.attend()));
    const LensResult lens = look(p.q, p.k, p.options(), {.rows = {0, -1}});
    for (int64_t j = 0; j < kLow; ++j) {
      EXPECT_EQ(lens.rows(0, 0, 1, j), 0);
      EXPECT_EQ(lens.rows_blocked(0, 0, 1, j), 0);  // weightless, not masked
    }
  });
  expect_exact(p);
}

// Its distance to a large score is minus infinity, and still it is no mask: few queries and many see the NaN behind it.
TEST(MaskCases, LowestFiniteFloatBesideALargeScoreIsStillSeen) {
  for (const int64_t queries : {1, 8, 9}) {
    Problem p = make_problem({.M = queries, .N = 100, .D = 1, .E = 1});
    p.scale = 1.0f;
    std::fill_n(p.q.data(), queries, 1.0f);
    p.k(0, 0, 0, 0) = 2e31f;
    p.v(0, 0, 7, 0) = kNaN;
    p.bias = filled({1, 1, 1, 100}, 0);
    (*p.bias)(0, 0, 0, 7) = -FLT_MAX;
    under_every_isa([&] {
      const AttentionResult found = p.attend();
      for (int64_t i = 0; i < queries; ++i) EXPECT_TRUE(std::isnan(found.out(0, 0, i, 0))) << queries;
    });
  }
}

// huggingface/transformers#17306; ahrefs/ocannl#548.
TEST(MaskCases, LowestF16OnF16TensorsIsAddedInF32) {
  Problem p = make_problem({.M = 3, .N = 5, .D = 16, .E = 8});
  for (int64_t n = 0; n < p.q.count(); ++n) p.q.data()[n] = -4 - 0.01f * static_cast<float>(n % 7);
  for (int64_t n = 0; n < p.k.count(); ++n) p.k.data()[n] = 1 + 0.02f * static_cast<float>(n % 5);
  narrow(p, Storage::kF16);
  const AttentionResult plain = p.attend();
  ASSERT_LE(plain.lse(0, 0, 0), -14.0f);  // scores of about -16: the sum is below what f16 can hold
  p.bias = filled({1, 1, 3, 5}, kLowestF16);
  under_every_isa([&] {
    const Everything found = everything_in(p, Storage::kF16);
    EXPECT_LE(error_of(found.attention.out, plain.out).max, 1e-2);
    EXPECT_TRUE(Judge(p).agrees(found.attention, Storage::kF16));
  });
  p.bias = filled({1, 1, 3, 5}, -1e9f);  // no f16, and here no need to be one
  for (int64_t i = 1; i < 3; ++i) (*p.bias)(0, 0, i, 2) = 0;
  under_every_isa([&] {
    const Everything found = everything_in(p, Storage::kF16);
    for (int64_t e = 0; e < 8; ++e) {
      double mean = 0;
      for (int64_t j = 0; j < 5; ++j) mean += p.v(0, 0, j, e) / 5;
      EXPECT_NEAR(found.attention.out(0, 0, 0, e), mean, 2e-3);  // equal scores: floats near 1e9 are 64 apart
      EXPECT_EQ(found.attention.out(0, 0, 1, e), p.v(0, 0, 2, e));
      EXPECT_EQ(found.attention.out(0, 0, 2, e), p.v(0, 0, 2, e));
    }
  });
}

// NVIDIA-NeMo/Automodel#2658: a causal and a padding mask of the lowest bf16, added.
TEST(MaskCases, TwiceTheLowestBf16IsAMask) {
  Problem p = make_problem({.M = 4, .N = 6, .D = 8, .E = 8});
  narrow(p, Storage::kBf16);
  p.bias = Tensor<float, 4>({1, 1, 4, 6});
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 6; ++j) {
      const float causal = j > i ? kLowestBf16 : 0, padding = j > 2 || i == 3 ? kLowestBf16 : 0;
      (*p.bias)(0, 0, i, j) = causal + padding;
    }
  }
  std::fill_n(&(*p.bias)(0, 0, 3, 0), 6, kLowestBf16 + kLowestBf16);
  under_every_isa([&] {
    const Everything found = everything_in(p, Storage::kBf16);
    EXPECT_TRUE(Judge(p).agrees(found.attention, Storage::kBf16));
    EXPECT_EQ(seen_keys(found.lens, 0, 0, 0), (std::vector<int64_t>{0, 1, 2}));
    expect_dead(found, 0, 0, 3);
  });
}

// pytorch/pytorch#127055: rows see their last ten keys, so the leading tiles of most are all minus infinity.
TEST(MaskCases, LeadingTilesOfMinusInfinityGiveNoNaN) {
  for (int64_t n : {600, 640, 511, 512, 513, 1023, 1024, 1025}) {
    for (int64_t size : {2, 4}) {
      Problem p = make_problem({.M = n, .N = n, .D = size, .E = size});
      for (Tensor<float, 4>* t : {&p.q, &p.k, &p.v}) std::fill_n(t->data(), t->count(), 1.0f);
      p.bias = filled({1, 1, n, n}, -kInfinity);
      for (int64_t i = 0; i < n; ++i) {
        const int64_t first = std::max<int64_t>(0, i - 9);
        std::fill_n(&(*p.bias)(0, 0, i, first), i + 1 - first, 0.0f);
      }
      under_every_isa([&] {
        const Everything found = everything(p);
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t e = 0; e < size; ++e) ASSERT_NEAR(found.attention.out(0, 0, i, e), 1, 1e-6) << n << " row " << i;
          for (int64_t d = 0; d < size; ++d) ASSERT_NEAR(found.gradients.dq(0, 0, i, d), 0, 1e-5) << n << " row " << i;
        }
      });
    }
  }
}

// Gradients of q, k and v; that of the bias has the bias's own shape.
Everything without_dbias(Everything found) {
  found.gradients.dbias = {};
  return found;
}

// pytorch/pytorch#128816, #158424; Luce-Org/lucebox#420.
TEST(MaskCases, EveryShapeThatBroadcastsEqualsTheWholeMaskInBits) {
  const Problem p = make_problem({.B = 2, .H = 4, .G = 2, .M = 7, .N = 37, .D = 8, .E = 8});
  const std::array<int64_t, 4> full{2, 4, 7, 37};
  Random random(3);
  for (const auto& sizes :
       {std::array<int64_t, 4>{1, 1, 1, 1}, {2, 1, 1, 37}, {1, 1, 7, 1}, {1, 4, 1, 37}, {1, 1, 7, 37}, {2, 4, 7, 37}}) {
    const Tensor<uint8_t, 4> mask = random_mask(sizes, 0.7, random);
    const Tensor<float, 4> bias = random_tensor(sizes, random);
    TensorView<const uint8_t, 4> expanded_mask = mask;
    TensorView<const float, 4> expanded_bias = bias;
    for (size_t axis = 0; axis < 4; ++axis) {
      if (sizes[axis] != 1 || full[axis] == 1) continue;
      expanded_mask.strides[axis] = expanded_bias.strides[axis] = 0;
    }
    expanded_mask.sizes = expanded_bias.sizes = full;
    const Tensor<uint8_t, 4> whole_mask = copy_of(expanded_mask);
    const Tensor<float, 4> whole_bias = copy_of(expanded_bias);
    under_every_isa([&] {
      const Everything whole = without_dbias(everything({p.q, p.k, p.v, {.bias = whole_bias, .mask = whole_mask}}));
      EXPECT_TRUE(same_bits(without_dbias(everything({p.q, p.k, p.v, {.bias = bias, .mask = mask}})), whole));
      // Axes of stride 0 are read as such. (A gradient has memory of its own for each element.)
      EXPECT_TRUE(same_bits(attention(p.q, p.k, p.v, {.bias = expanded_bias, .mask = expanded_mask}), whole.attention));
    });
  }
}

// openvinotoolkit/openvino#34929: rows padded to a larger stride; and masks that lie transposed.
TEST(MaskCases, RowsPaddedToALargerStrideAndTransposedMasksAreReadByTheirStrides) {
  const Problem p = make_problem({.B = 2, .H = 2, .G = 1, .M = 9, .N = 530, .D = 8, .E = 8});
  Random random(4);
  const Tensor<uint8_t, 4> mask = random_mask({2, 1, 9, 530}, 0.7, random);
  const Tensor<float, 4> bias = random_tensor({2, 2, 9, 530}, random);
  under_every_isa([&] {
    const Everything expected = everything({p.q, p.k, p.v, {.bias = bias, .mask = mask}});
    for (const Layout& layout :
         {Layout{.name = "padded rows", .step = {1, 1, 2, 1}}, Layout{.name = "transposed", .order = {0, 1, 3, 2}}}) {
      const Laid<uint8_t> laid_mask(layout, mask, 0xff);
      const Laid<float> laid_bias(layout, bias, kNaN);
      EXPECT_TRUE(
          same_bits(everything({p.q, p.k, p.v, {.bias = laid_bias.view(), .mask = laid_mask.view()}}), expected))
          << layout.name;
    }
  });
}

// NVIDIA/TransformerEngine#614; rasbt/LLMs-from-scratch#1061: true means attend, in every path alike.
TEST(MaskCases, LowerTriangleOfOnesIsCausalInBits) {
  Problem p = make_problem({.H = 2, .G = 1, .M = 70, .N = 70, .D = 16, .E = 16});
  Tensor<uint8_t, 4> lower({1, 1, 70, 70}), upper({1, 1, 70, 70});
  for_each_index(lower.sizes(), [&](int64_t, int64_t, int64_t i, int64_t j) {
    lower(0, 0, i, j) = j <= i;
    upper(0, 0, i, j) = j >= i;
  });
  under_every_isa([&] {
    const Everything causal = everything({p.q, p.k, p.v, {.causal = Causal::kTopLeft}});
    EXPECT_TRUE(same_bits(everything({p.q, p.k, p.v, {.mask = lower}}), causal));
    EXPECT_FALSE(same_bits(everything({p.q, p.k, p.v, {.mask = upper}}), causal));
  });
}

// microsoft/onnxruntime#27885: a mask with holes is no prefix.
TEST(MaskCases, HolesAreKeptAndTheNewestKeyMayBeOne) {
  for (const std::vector<uint8_t>& attend : {std::vector<uint8_t>{1, 0, 1, 1}, {1, 0, 1, 0}}) {
    Problem p = make_problem({.H = 2, .G = 1, .M = 1, .N = 4, .D = 8, .E = 8});
    p.causal = Causal::kBottomRight;
    p.mask = Tensor<uint8_t, 4>({1, 1, 1, 4});
    std::copy(attend.begin(), attend.end(), p.mask->data());
    expect_exact(p);
    const LensResult lens = look(p.q, p.k, p.options(), {.rows = {0}});
    for (int64_t j = 0; j < 4; ++j) EXPECT_EQ(lens.rows_blocked(0, 0, 0, j), 1 - attend[static_cast<size_t>(j)]);
  }
}

}  // namespace
}  // namespace limelight::testing
