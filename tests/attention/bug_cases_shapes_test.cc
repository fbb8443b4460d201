// Sizes of nothing, sizes that do not fit, and tails that no vector divides, at the edge of memory.
#include <gtest/gtest.h>

#include "tests/attention/bug_cases.h"
#include "tests/core/guarded.h"

namespace limelight::testing {
namespace {

using Sizes = std::array<int64_t, 4>;

// pytorch/pytorch#141219, #191325, #128690, #193728; Dao-AILab/flash-attention#2470. The tensors have no memory beyond
// one row: whoever reads before checking is found out.
void expect_refused(const Sizes& q, const Sizes& k, const Sizes& v, const AttentionOptions& options = {}) {
  const Tensor<float, 4> row({1, 1, 1, 64});
  const auto view = [&](const Sizes& sizes) { return TensorView<const float, 4>{row.data(), sizes, {0, 0, 0, 1}}; };
  EXPECT_THROW(attention(view(q), view(k), view(v), options), std::invalid_argument);
  EXPECT_THROW(explain(view(q), view(k), view(v), options), std::invalid_argument);
  Tensor<float, 4> out({1, 1, 1, 1});
  const Tensor<float, 3> lse({1, 1, 1});
  EXPECT_THROW(attention_backward(view(q), view(k), view(v), options, out, lse, out, {}), std::invalid_argument);
}

TEST(ShapeCases, SizesThatDoNotFitAreRefusedBeforeAnythingIsRead) {
  expect_refused({7, 9, 3, 7}, {7, 7, 3, 7}, {7, 7, 3, 7}, {.causal = Causal::kTopLeft});  // 9 heads on 7
  expect_refused({7, 9, 0, 7}, {7, 7, 0, 7}, {7, 7, 0, 7}, {.causal = Causal::kTopLeft});
  expect_refused({2, 4, 8, 16}, {2, 0, 8, 16}, {2, 0, 8, 16});  // no head of keys
  expect_refused({1, 1, 3, 8}, {1, 1, 5, 8}, {1, 1, 6, 8});     // values for keys that are not there
  expect_refused({1, 1, 3, 8}, {1, 1, 1, 8}, {1, 1, 4'000'000, 8});
  expect_refused({1, 1, 3, 0}, {1, 1, 3, 0}, {1, 1, 3, 8});  // a head of size 0
}

void expect_all_zero(const Everything& found) {
  for (int64_t n = 0; n < found.attention.out.count(); ++n) EXPECT_EQ(found.attention.out.data()[n], 0);
  for (int64_t n = 0; n < found.attention.lse.count(); ++n) EXPECT_EQ(found.attention.lse.data()[n], -kInfinity);
  for (const Tensor<float, 4>* t : {&found.gradients.dq, &found.gradients.dk, &found.gradients.dv}) {
    for (int64_t n = 0; n < t->count(); ++n) EXPECT_EQ(t->data()[n], 0);
  }
}

TEST(ShapeCases, NoKeysNoQueriesOrNoBatchGiveResultsOfTheirShape) {
  for (Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    for (const Shape& shape : {Shape{.B = 2, .H = 4, .G = 2, .M = 3, .N = 0, .D = 8, .E = 5},
                               Shape{.B = 2, .H = 4, .G = 2, .M = 0, .N = 6, .D = 8, .E = 5},
                               Shape{.B = 0, .H = 4, .G = 2, .M = 3, .N = 6, .D = 8, .E = 5},
                               Shape{.B = 7, .H = 7, .G = 7, .M = 0, .N = 0, .D = 7, .E = 7},
                               Shape{.B = 1, .H = 0, .G = 0, .M = 3, .N = 6, .D = 8, .E = 5}}) {
      Problem p = make_problem(shape);
      p.causal = causal;
      SCOPED_TRACE(p.text());
      under_every_isa([&] {
        for (const Everything& found : {everything(p), everything_in(p, Storage::kF16)}) {
          EXPECT_EQ(found.attention.out.sizes(), (Sizes{shape.B, shape.H, shape.M, shape.E}));
          expect_all_zero(found);
        }
      });
    }
  }
}

// A tensor's numbers in a storage, right before (or behind) a page that may not be touched.
struct GuardedNumbers {
  GuardedNumbers(const Tensor<float, 4>& from, Storage storage, Guard guard)
      : memory(from.count() * storage_bytes(storage), guard),
        view(memory.data(), storage, from.sizes(), row_major(from.sizes())) {
    for (int64_t n = 0; n < from.count(); ++n) {
      store_float(from.data()[n], memory.data() + n * storage_bytes(storage), storage);
    }
  }
  Guarded<std::byte> memory;
  FloatOutput view;
};

// Forward, lens and backward with every tensor guarded give the bits of the plain call.
void run_guarded(const Problem& p, Storage storage, Guard guard, const Everything& expected) {
  const GuardedNumbers q(p.q, storage, guard), k(p.k, storage, guard), v(p.v, storage, guard);
  AttentionOptions options = p.options();
  std::optional<GuardedTensor<uint8_t, 4>> mask;
  if (p.mask) options.mask = mask.emplace(*p.mask, guard).view();
  const Everything found = everything({q.view, k.view, v.view, options});
  EXPECT_TRUE(same_bits(found, expected)) << p.text() << " " << storage_name(storage);
  const GuardedNumbers out(found.attention.out, storage, guard), dq(p.q, storage, guard), dk(p.k, storage, guard),
      dv(p.v, storage, guard);
  const GuardedTensor<float, 3> lse(found.attention.lse, guard);
  attention(q.view, k.view, v.view, options, out.view, lse.view());
  attention_backward(q.view, k.view, v.view, options, out.view, lse.view(), out.view,
                     {.dq = dq.view, .dk = dk.view, .dv = dv.view});
}

void run_guarded(Problem p, bool masked = false) {
  Random random(2);
  if (masked) p.mask = random_mask({1, 1, p.shape.M, p.shape.N}, 0.6, random);
  under_every_isa([&] {
    for (Storage storage : {Storage::kF32, Storage::kF16, Storage::kBf16}) {
      narrow(p, storage);
      const Everything expected = everything(p);
      run_guarded(p, storage, Guard::kBehind, expected);
      run_guarded(p, storage, Guard::kBefore, expected);
    }
  });
}

// pytorch/pytorch#169222; NVIDIA/FasterTransformer#89; mlc-ai/mlc-llm#1889.
TEST(ShapeCases, TailsOfKeysReadNothingBehindTheirMemory) {
  for (int64_t n : {38, 39, 70}) {
    run_guarded(make_problem({.H = 2, .G = 1, .M = 1, .N = n, .D = 64, .E = 64}));
    expect_exact(make_problem({.H = 2, .G = 1, .M = 1, .N = n, .D = 64, .E = 64}));
  }
}

// tenstorrent/tt-metal#32502.
TEST(ShapeCases, MaskedShapesThatNoTileDividesAgree) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{63, 64}, {64, 50}, {100, 77}}) {
    Problem p = make_problem({.M = m, .N = n, .D = 32, .E = 32});
    Random random(3);
    p.mask = random_mask({1, 1, m, n}, 0.6, random);
    expect_exact(p);
    run_guarded(make_problem({.M = m, .N = n, .D = 32, .E = 32}), true);
  }
}

TEST(ShapeCases, HeadsOfAnySizeAgree) {
  for (int64_t d : {80, 1, 3, 96, 100, 112, 160, 192, 256, 576}) {
    expect_exact(make_problem({.H = 2, .G = 1, .M = 5, .N = 39, .D = d, .E = d}), 2);
    run_guarded(make_problem({.M = 2, .N = 39, .D = d, .E = d}));
  }
}

// apple/coreai-torch#117: the output is as wide as the values; the scale is that of queries and keys.
TEST(ShapeCases, ValuesMayBeOfAnotherSizeThanKeys) {
  Problem p = make_problem({.B = 8, .H = 4, .G = 1, .M = 1, .N = 36, .D = 32, .E = 24});
  expect_exact(p);
  run_guarded(make_problem(p.shape));
  EXPECT_EQ(p.attend().out.sizes(), (Sizes{8, 4, 1, 24}));
  const AttentionResult by_default = p.attend();
  p.scale = 1 / std::sqrt(32.0f);
  EXPECT_TRUE(same_bits(p.attend(), by_default));
}

}  // namespace
}  // namespace limelight::testing
