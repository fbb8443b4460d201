// Laws of the gradients: every option, groups, rows and keys that nobody sees, threads, storage and strides.
#include <gtest/gtest.h>

#include "tests/attention/compare_gradients.h"
#include "tests/attention/option_problems.h"
#include "tests/attention/stored.h"

namespace limelight::testing {
namespace {

Tensor<float, 4> dout_of(const Problem& p) {
  Random random(11);
  return random_tensor({p.shape.B, p.shape.H, p.shape.M, p.shape.E}, random);
}

Tensor<float, 3> dlse_of(const Problem& p) {
  Random random(12);
  const Tensor<float, 4> each = random_tensor({p.shape.B, p.shape.H, p.shape.M, 1}, random);
  Tensor<float, 3> dlse({p.shape.B, p.shape.H, p.shape.M});
  std::copy_n(each.data(), each.count(), dlse.data());
  return dlse;
}

TEST(Backward, EveryOptionAgreesWithTheReference) {
  for (const auto& [name, p] : option_problems()) {
    SCOPED_TRACE(name);
    const Tensor<float, 4> dout = dout_of(p);
    const Tensor<float, 3> dlse = dlse_of(p);
    const GradientJudge judge(p, dout, &dlse, 2);
    under_every_isa([&] { EXPECT_TRUE(judge.agrees(gradients(p, dout, &dlse))); });
  }
}

TEST(Backward, ManyTilesAgreeWithTheReference) {
  for (const Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    Problem p = make_problem({.H = 2, .G = 1, .M = 700, .N = 1100, .D = 20, .E = 12});
    p.causal = causal;
    const Tensor<float, 4> dout = dout_of(p);
    const GradientJudge judge(p, dout);
    under_every_isa([&] { EXPECT_TRUE(judge.agrees(gradients(p, dout))) << static_cast<int>(causal); });
  }
}

TEST(Backward, GradientThatArrivesAtLseAloneAgrees) {
  const Problem p = make_problem({.B = 2, .H = 2, .G = 2, .M = 9, .N = 17});
  const Tensor<float, 4> dout({2, 2, 9, 16});
  const Tensor<float, 3> dlse = dlse_of(p);
  const GradientJudge judge(p, dout, &dlse);
  under_every_isa([&] {
    const Gradients found = gradients(p, dout, &dlse);
    EXPECT_TRUE(judge.agrees(found));
    for (int64_t n = 0; n < found.dv.count(); ++n) ASSERT_EQ(found.dv.data()[n], 0);
  });
}

TEST(Backward, SameBitsForAnyThreadCount) {
  for (const Shape& shape : {Shape{.M = 1100, .N = 1100}, {.H = 4, .G = 2, .M = 600, .N = 1500}}) {
    Problem p = make_problem(shape);
    p.causal = Causal::kBottomRight;
    Random random(3);
    p.bias = random_tensor({1, 1, 1, shape.N}, random);
    p.sinks = Tensor<float, 1>({shape.H});
    const Tensor<float, 4> dout = dout_of(p);
    under_every_isa([&] {
      const Gradients one = gradients(p, dout, nullptr, {.threads = 1});
      for (int threads : {2, 3, 7}) {
        EXPECT_TRUE(same_bits(gradients(p, dout, nullptr, {.threads = threads}), one)) << threads;
      }
    });
  }
}

// Keys repeated for every head of their group: each repetition gets its head's share of the sum.
TEST(Backward, GroupedHeadsAreTheSumOfTheirShares) {
  for (const auto& [H, G, D, E] : {std::array<int64_t, 4>{8, 2, 32, 64}, {12, 3, 64, 32}, {5, 1, 8, 8}}) {
    const Problem grouped = make_problem({.B = 2, .H = H, .G = G, .M = 13, .N = 21, .D = D, .E = E});
    Problem apart = make_problem({.B = 2, .H = H, .G = H, .M = 13, .N = 21, .D = D, .E = E});
    apart.q = grouped.q.clone();
    const int64_t share = H / G;
    for_each_index(apart.k.sizes(),
                   [&](auto b, auto h, auto... at) { apart.k(b, h, at...) = grouped.k(b, h / share, at...); });
    for_each_index(apart.v.sizes(),
                   [&](auto b, auto h, auto... at) { apart.v(b, h, at...) = grouped.v(b, h / share, at...); });
    const Tensor<float, 4> dout = dout_of(grouped);
    const Gradients found = gradients(grouped, dout);
    const Gradients each = gradients(apart, dout);
    EXPECT_TRUE(same_bits(found.dq, each.dq));
    Tensor<double, 4> dk(grouped.k.sizes()), dv(grouped.v.sizes());
    for_each_index(each.dk.sizes(),
                   [&](auto b, auto h, auto... at) { dk(b, h / share, at...) += each.dk(b, h, at...); });
    for_each_index(each.dv.sizes(),
                   [&](auto b, auto h, auto... at) { dv(b, h / share, at...) += each.dv(b, h, at...); });
    EXPECT_LE(error_of(found.dk, dk).max, 1e-5);
    EXPECT_LE(error_of(found.dv, dv).max, 1e-5);
  }
}

// Row 1 of each batch entry sees no key.
Problem with_dead_row() {
  Problem p = make_problem({.B = 2, .H = 2, .G = 1, .M = 5, .N = 9, .D = 8, .E = 6});
  p.mask = Tensor<uint8_t, 4>({1, 1, 5, 9});
  for_each_index(p.mask->sizes(), [&](auto... at) { (*p.mask)(at...) = std::get<2>(std::tuple(at...)) != 1; });
  return p;
}

TEST(Backward, DeadRowGivesZeroAndIsNotObserved) {
  Problem p = with_dead_row();
  Tensor<float, 4> dout = dout_of(p);
  Tensor<float, 3> dlse = dlse_of(p);
  under_every_isa([&] {
    const Gradients plain = gradients(p, dout, &dlse);
    Problem hidden = with_dead_row();
    Tensor<float, 4> hidden_dout = dout.clone();
    Tensor<float, 3> hidden_dlse = dlse.clone();
    for (int64_t n = 0; n < 4; ++n) {
      for (int64_t d = 0; d < 8; ++d) hidden.q(n / 2, n % 2, 1, d) = kNaN;
      for (int64_t e = 0; e < 6; ++e) hidden_dout(n / 2, n % 2, 1, e) = kInfinity;
      hidden_dlse(n / 2, n % 2, 1) = kNaN;
    }
    const Gradients found = gradients(hidden, hidden_dout, &hidden_dlse);
    EXPECT_TRUE(same_bits(found, plain));
    for (int64_t d = 0; d < 8; ++d) EXPECT_EQ(found.dq(1, 1, 1, d), 0);
  });
}

TEST(Backward, SinkOfARowWithoutKeysGetsWhatArrivesAtLse) {
  Problem p = make_problem({.H = 2, .G = 2, .M = 3, .N = 4});
  p.key_lengths = Tensor<int64_t, 1>({1});
  p.sinks = Tensor<float, 1>({2});
  const Tensor<float, 4> dout = dout_of(p);
  Tensor<float, 3> dlse({1, 2, 3});
  for (int64_t n = 0; n < 6; ++n) dlse.data()[n] = static_cast<float>(n + 1);
  under_every_isa([&] {
    const Gradients found = gradients(p, dout, &dlse);
    EXPECT_EQ(found.dsinks(0), 6);
    EXPECT_EQ(found.dsinks(1), 15);
    for (int64_t n = 0; n < found.dk.count(); ++n) ASSERT_EQ(found.dk.data()[n], 0);
  });
}

// Key 3 is masked for all, key 700 by its bias, keys from 1000 by length.
TEST(Backward, MaskedKeyCannotBeObservedAndGetsZero) {
  Problem p = make_problem({.H = 2, .G = 1, .M = 11, .N = 1030, .D = 8, .E = 8});
  p.mask = Tensor<uint8_t, 4>({1, 1, 1, 1030});
  std::fill_n(p.mask->data(), 1030, uint8_t{1});
  (*p.mask)(0, 0, 0, 3) = 0;
  p.bias = Tensor<float, 4>({1, 1, 1, 1030});
  (*p.bias)(0, 0, 0, 700) = -kInfinity;
  p.key_lengths = Tensor<int64_t, 1>({1});
  (*p.key_lengths)(0) = 1000;
  const Tensor<float, 4> dout = dout_of(p);
  under_every_isa([&] {
    const Gradients plain = gradients(p, dout);
    for (const float hidden : {kNaN, kInfinity, 1e30f}) {
      Problem other = make_problem(p.shape);
      other.mask = p.mask->clone(), other.bias = p.bias->clone(), other.key_lengths = p.key_lengths->clone();
      for (int64_t j : {3, 700, 1000, 1029}) {
        for (int64_t d = 0; d < 8; ++d) other.k(0, 0, j, d) = other.v(0, 0, j, d) = hidden;
      }
      const Gradients found = gradients(other, dout);
      EXPECT_TRUE(same_bits(found, plain)) << hidden;
      for (int64_t j : {3, 700, 1000, 1029}) {
        EXPECT_EQ(found.dk(0, 0, j, 0), 0) << j;
        EXPECT_EQ(found.dv(0, 0, j, 7), 0) << j;
        EXPECT_EQ(found.dbias(0, 0, 0, j), 0) << j;
      }
    }
  });
}

TEST(Backward, SeenNaNPropagates) {
  Problem p = make_problem({.M = 7, .N = 40});
  p.v(0, 0, 20, 3) = kNaN;
  under_every_isa([&] { EXPECT_TRUE(std::isnan(gradients(p, dout_of(p)).dq(0, 0, 6, 0))); });
}

TEST(Backward, ScaleZeroGivesNoGradientToQueriesAndKeys) {
  Problem p = make_problem({.M = 7, .N = 40});
  p.scale = 0.0f;
  under_every_isa([&] {
    const Gradients found = gradients(p, dout_of(p));
    for (int64_t n = 0; n < found.dq.count(); ++n) ASSERT_EQ(found.dq.data()[n], 0);
    for (int64_t n = 0; n < found.dk.count(); ++n) ASSERT_EQ(found.dk.data()[n], 0);
    EXPECT_NE(found.dv(0, 0, 0, 0), 0);
  });
}

}  // namespace
}  // namespace limelight::testing
