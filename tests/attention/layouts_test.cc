// Where numbers lie in memory is nobody's business: any strides in, any strides out, the same bits, no stray write.
#include <gtest/gtest.h>

#include "tests/attention/compare.h"
#include "tests/attention/layout.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

constexpr float kFiller = 12345.0f;

TEST(Layouts, EveryInputLayoutGivesTheSameBits) {
  for (const Shape& shape : {Shape{.B = 2, .H = 4, .G = 2, .M = 9, .N = 531, .D = 20, .E = 12},
                             Shape{.B = 1, .H = 2, .G = 2, .M = 13, .N = 33, .D = 64, .E = 64}}) {
    Problem p = make_problem(shape);
    p.causal = Causal::kBottomRight;
    under_every_isa([&] {
      const AttentionResult expected = p.attend();
      const LensRequest request{.rows = {0, -1}, .top_k = 3, .received = true, .entropy = true, .heatmap = 4};
      const LensResult lens = look(p.q, p.k, p.options(), request);
      for (const Layout& layout : layouts()) {
        SCOPED_TRACE(layout.name);
        const Laid<float> q(layout, p.q, kNaN), k(layout, p.k, kNaN), v(layout, p.v, kNaN);
        EXPECT_TRUE(same_bits(attention(q.view(), p.k, p.v, p.options()), expected)) << "q";
        EXPECT_TRUE(same_bits(attention(p.q, k.view(), p.v, p.options()), expected)) << "k";
        EXPECT_TRUE(same_bits(attention(p.q, p.k, v.view(), p.options()), expected)) << "v";
        EXPECT_TRUE(same_bits(attention(q.view(), k.view(), v.view(), p.options()), expected)) << "all";
        EXPECT_TRUE(same_bits(look(q.view(), k.view(), p.options(), request), lens)) << "lens";
      }
    });
  }
}

TEST(Layouts, EveryOutputLayoutHoldsTheSameBitsAndNothingElseIsWritten) {
  for (int64_t e : {5, 16, 64}) {
    const Problem p = make_problem({.B = 2, .H = 2, .G = 1, .M = 11, .N = 40, .D = 16, .E = e});
    under_every_isa([&] {
      const AttentionResult expected = p.attend();
      for (const Layout& layout : layouts()) {
        SCOPED_TRACE(layout.name);
        Laid<float> out(layout, expected.out.sizes(), kFiller);
        Laid<float> lse(layout, {2, 2, 11, 1}, kFiller);
        const TensorView<float, 4>& l = lse.view();
        attention(p.q, p.k, p.v, p.options(), out.view(),
                  TensorView<float, 3>{l.data, {2, 2, 11}, {l.strides[0], l.strides[1], l.strides[2]}});
        EXPECT_TRUE(same_bits(copy_of(out.view()), expected.out));
        const Laid<float> untouched(layout, expected.out, kFiller);
        EXPECT_EQ(out.memory(), untouched.memory());
        const Tensor<float, 4> found = copy_of(lse.view());
        EXPECT_EQ(std::memcmp(found.data(), expected.lse.data(), sizeof(float) * 44), 0);
        EXPECT_EQ(std::count(lse.memory().begin(), lse.memory().end(), kFiller),
                  static_cast<int64_t>(lse.memory().size()) - 44);
      }
    });
  }
}

TEST(Layouts, BroadcastInputsEqualTheirCopies) {
  const Problem p = make_problem({.B = 3, .H = 4, .G = 4, .M = 7, .N = 530, .D = 16, .E = 16});
  for (int axis : {0, 1, 2, 3}) {
    const auto broadcast = [axis](TensorView<const float, 4> view) {
      view.strides[axis] = 0;
      return view;
    };
    const auto q = broadcast(p.q), k = broadcast(p.k), v = broadcast(p.v);
    under_every_isa([&] {
      EXPECT_TRUE(same_bits(attention(q, k, v), attention(copy_of(q), copy_of(k), copy_of(v)))) << "axis " << axis;
    });
  }
}

// Views into one projection [B, L, 3, H, D], as models have them.
TEST(Layouts, ViewsIntoOneProjectionEqualTheirCopies) {
  constexpr int64_t kBatch = 2, kLength = 62, kHeads = 16, kSize = 128;
  Random random(6);
  const Tensor<float, 4> qkv = random_tensor({kBatch, kLength, 3, kHeads * kSize}, random);
  const auto part = [&](int64_t which) {
    return TensorView<const float, 4>{qkv.data() + which * kHeads * kSize,
                                      {kBatch, kHeads, kLength, kSize},
                                      {kLength * 3 * kHeads * kSize, kSize, 3 * kHeads * kSize, 1}};
  };
  under_every_isa([&] {
    EXPECT_TRUE(
        same_bits(attention(part(0), part(1), part(2), {.causal = Causal::kTopLeft}),
                  attention(copy_of(part(0)), copy_of(part(1)), copy_of(part(2)), {.causal = Causal::kTopLeft})));
  });
}

// Keys every second row of a buffer of twice as many, values contiguous: each is read with its own strides.
TEST(Layouts, KeysAndValuesHaveStridesOfTheirOwn) {
  const Problem p = make_problem({.H = 2, .G = 2, .M = 5, .N = 100, .D = 16, .E = 16});
  const Laid<float> spread({.name = "every second row", .step = {1, 1, 2, 1}}, p.k, kNaN);
  under_every_isa([&] {
    EXPECT_TRUE(same_bits(attention(p.q, spread.view(), p.v), p.attend()));
    EXPECT_TRUE(same_bits(attention(p.q, p.v, spread.view()), attention(p.q, p.v, p.k)));
  });
}

TEST(Layouts, AnyFloatAddressServes) {
  const Problem p = make_problem({.M = 9, .N = 70, .D = 24, .E = 24});
  const AttentionResult expected = p.attend();
  for (int64_t shift : {1, 3, 5, 15}) {
    const auto moved = [shift](const Tensor<float, 4>& t) {
      std::vector<float> memory(static_cast<size_t>(t.count() + shift), kNaN);
      std::copy_n(t.data(), t.count(), memory.data() + shift);
      return memory;
    };
    std::vector<float> q = moved(p.q), k = moved(p.k), v = moved(p.v);
    EXPECT_TRUE(same_bits(attention(view_of<const float>(q.data() + shift, p.q.sizes()),
                                    view_of<const float>(k.data() + shift, p.k.sizes()),
                                    view_of<const float>(v.data() + shift, p.v.sizes())),
                          expected));
  }
}

TEST(Layouts, StridedKeyLengthsAreRead) {
  Problem p = make_problem({.B = 3, .M = 2, .N = 40, .D = 8, .E = 8});
  p.key_lengths = Tensor<int64_t, 1>({3});
  (*p.key_lengths)(0) = 7, (*p.key_lengths)(1) = 40, (*p.key_lengths)(2) = 0;
  const int64_t reversed[] = {0, -99, 40, -99, 7};
  AttentionOptions options;
  options.key_lengths = TensorView<const int64_t, 1>{reversed + 4, {3}, {-2}};
  EXPECT_TRUE(same_bits(attention(p.q, p.k, p.v, options), p.attend()));
}

}  // namespace
}  // namespace limelight::testing
