// Nothing is read or written past the edge of any array: each ends, or begins, at a page that may not be touched.
#include <gtest/gtest.h>

#include "tests/attention/compare.h"
#include "tests/attention/problem.h"
#include "tests/core/guarded.h"

namespace limelight::testing {
namespace {

// One call and one look with every argument and output in guarded memory.
void run_guarded(const Problem& p, Guard guard, const AttentionResult& expected) {
  const GuardedTensor<float, 4> q(p.q, guard), k(p.k, guard), v(p.v, guard);
  std::optional<GuardedTensor<float, 4>> bias;
  std::optional<GuardedTensor<uint8_t, 4>> mask;
  std::optional<GuardedTensor<int64_t, 1>> lengths;
  const GuardedTensor<float, 4> out(Tensor<float, 4>(expected.out.sizes()), guard);
  const GuardedTensor<float, 3> lse(Tensor<float, 3>(expected.lse.sizes()), guard);
  AttentionOptions options = p.options();
  if (p.bias) options.bias = bias.emplace(*p.bias, guard).view();
  if (p.mask) options.mask = mask.emplace(*p.mask, guard).view();
  if (p.key_lengths) options.key_lengths = lengths.emplace(*p.key_lengths, guard).view();
  attention(q.view(), k.view(), v.view(), options, out.view(), lse.view());
  EXPECT_TRUE(same_bits(copy_of(out.view()), expected.out)) << p.text();
  EXPECT_TRUE(same_bits(copy_of(lse.view()), expected.lse)) << p.text();
  const LensRequest request{.rows = {0, -1}, .top_k = 3, .received = true, .entropy = true, .heatmap = 5};
  look(q.view(), k.view(), options, request);
  // Reversed keys and values: the address of the first is near the end.
  const auto reversed = [](TensorView<float, 4> view) {
    view.data += (view.sizes[2] - 1) * view.strides[2];
    view.strides[2] = -view.strides[2];
    return view;
  };
  if (p.shape.N > 0) attention(q.view(), reversed(k.view()), reversed(v.view()), options, out.view(), lse.view());
}

void run_guarded(const Problem& p) {
  under_every_isa([&] {
    const AttentionResult expected = p.attend();
    run_guarded(p, Guard::kBehind, expected);
    run_guarded(p, Guard::kBefore, expected);
  });
}

TEST(GuardPages, NoReadBehindKeysOfAnyCountOrSize) {
  for (int64_t n : {1, 2, 15, 16, 17, 38, 39, 63, 64, 65, 70, 511, 513, 600}) {
    for (int64_t d : {1, 3, 7, 16, 17, 80}) run_guarded(make_problem({.M = 2, .N = n, .D = d, .E = d}));
  }
}

TEST(GuardPages, NoAccessBehindQueriesOrOutputsOfAnyCountOrSize) {
  for (int64_t m : {1, 5, 6, 7, 13, 49}) {
    for (int64_t e : {1, 3, 15, 17, 33, 64, 80}) {
      run_guarded(make_problem({.B = 2, .H = 3, .G = 1, .M = m, .N = 21, .D = 12, .E = e}));
    }
  }
}

TEST(GuardPages, NoReadBehindBiasAndMaskOfAnyBroadcastShape) {
  Random random(1);
  for (int64_t n : {1, 3, 17, 50, 530}) {
    for (int subset = 0; subset < 16; ++subset) {
      Problem p = make_problem({.B = 2, .H = 2, .G = 1, .M = 7, .N = n, .D = 8, .E = 8});
      const std::array<int64_t, 4> full{2, 2, 7, n};
      std::array<int64_t, 4> sizes{1, 1, 1, 1};
      for (int axis = 0; axis < 4; ++axis) sizes[axis] = (subset >> axis & 1) != 0 ? full[axis] : 1;
      p.bias = random_tensor(sizes, random);
      p.mask = random_mask(sizes, 0.7, random);
      p.causal = subset % 2 == 0 ? Causal::kNone : Causal::kBottomRight;
      run_guarded(p);
    }
  }
}

TEST(GuardPages, NoReadBehindAShortSequence) {
  for (int64_t length : {0, 1, 31, 33}) {
    Problem p = make_problem({.B = 1, .H = 2, .G = 1, .M = 3, .N = 33, .D = 8, .E = 8});
    p.key_lengths = Tensor<int64_t, 1>({1});
    (*p.key_lengths)(0) = length;
    run_guarded(p);
  }
}

}  // namespace
}  // namespace limelight::testing
