// What is masked cannot be observed; what is not masked propagates, NaN included.
#include <gtest/gtest.h>

#include "limelight/lens.h"
#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

constexpr float kAwkward[] = {1e10f, 3e38f, kInfinity, -kInfinity, kNaN};

LensRequest everything(int64_t m) {
  LensRequest request{.top_k = 3, .received = true, .entropy = true, .heatmap = 3};
  for (int64_t i = 0; i < m; ++i) request.rows.push_back(i);
  return request;
}

// Sets keys and values that no query may see to each awkward value: no bit of output or lens may change.
void expect_unobservable(Problem& p, const std::vector<std::pair<int64_t, int64_t>>& hidden) {
  SCOPED_TRACE(p.text());
  const auto fill = [&](float key, float value) {
    for (auto [b, j] : hidden) {
      for (int64_t g = 0; g < p.shape.G; ++g) {
        std::fill_n(&p.k(b, g, j, 0), p.shape.D, key);
        std::fill_n(&p.v(b, g, j, 0), p.shape.E, value);
      }
    }
  };
  const LensRequest request = everything(p.shape.M);
  under_every_isa([&] {
    fill(0, 0);
    const AttentionResult expected = p.attend();
    const LensResult lens = look(p.q, p.k, p.options(), request);
    for (float x : kAwkward) {
      fill(x, 0);
      EXPECT_TRUE(same_bits(p.attend(), expected)) << "key " << x;
      EXPECT_TRUE(same_bits(look(p.q, p.k, p.options(), request), lens)) << "key " << x;
      fill(0, x);
      EXPECT_TRUE(same_bits(p.attend(), expected)) << "value " << x;
      fill(x, x);
      EXPECT_TRUE(same_bits(p.attend(), expected)) << "both " << x;
    }
  });
}

TEST(HiddenKeys, KeyOfABooleanMaskCannotBeObserved) {
  Problem small = make_problem({.M = 2, .N = 2, .D = 4, .E = 4});
  small.mask = Tensor<uint8_t, 4>({1, 1, 2, 2});
  (*small.mask)(0, 0, 0, 0) = (*small.mask)(0, 0, 1, 0) = 1;
  expect_unobservable(small, {{0, 1}});
  Problem p = make_problem({.H = 2, .G = 1, .M = 13, .N = 1030, .D = 16, .E = 20});
  p.mask = Tensor<uint8_t, 4>({1, 1, 1, 1030});
  std::fill_n(p.mask->data(), 1030, uint8_t{1});
  for (int64_t j : {0, 17, 511, 512, 1029}) (*p.mask)(0, 0, 0, j) = 0;
  expect_unobservable(p, {{0, 0}, {0, 17}, {0, 511}, {0, 512}, {0, 1029}});
}

TEST(HiddenKeys, KeyOfAnInfiniteBiasCannotBeObserved) {
  Problem p = make_problem({.H = 2, .G = 2, .M = 9, .N = 530, .D = 8, .E = 8});
  p.softcap = 4;
  p.bias = Tensor<float, 4>({1, 1, 1, 530});
  for (int64_t j : {3, 511, 529}) (*p.bias)(0, 0, 0, j) = -kInfinity;
  expect_unobservable(p, {{0, 3}, {0, 511}, {0, 529}});
}

TEST(HiddenKeys, SlotsBeyondTheKeyLengthCannotBeObserved) {
  const std::vector<std::vector<int64_t>> caches{{1, 3}, {32, 64, 96, 48}, {0, 511, 512, 513}};
  const int64_t slots[] = {3, 128, 600};
  for (size_t c = 0; c < caches.size(); ++c) {
    const int64_t batch = static_cast<int64_t>(caches[c].size());
    Problem p = make_problem({.B = batch, .H = 2, .G = 1, .M = 2, .N = slots[c], .D = 16, .E = 16});
    p.causal = Causal::kBottomRight;
    p.key_lengths = Tensor<int64_t, 1>({batch});
    std::vector<std::pair<int64_t, int64_t>> hidden;
    for (int64_t b = 0; b < batch; ++b) {
      (*p.key_lengths)(b) = caches[c][b];
      for (int64_t j = caches[c][b]; j < slots[c]; ++j) hidden.push_back({b, j});
    }
    expect_unobservable(p, hidden);
  }
}

TEST(HiddenKeys, FutureAndDistantKeysCannotBeObserved) {
  Problem p = make_problem({.M = 40, .N = 600, .D = 8, .E = 8});
  p.causal = Causal::kTopLeft;
  std::vector<std::pair<int64_t, int64_t>> hidden;
  for (int64_t j = 40; j < 600; ++j) hidden.push_back({0, j});
  expect_unobservable(p, hidden);
  p.causal = Causal::kBottomRight;
  p.window = {.left = 19, .right = 0};
  hidden.clear();
  for (int64_t j = 0; j <= 540; ++j) hidden.push_back({0, j});
  expect_unobservable(p, hidden);
}

// Row by row inside one register tile: key j is NaN for the rows that see it and nothing at all for those that do not.
TEST(HiddenKeys, OnlyTheRowsThatSeeANaNAreNaN) {
  for (bool in_key : {true, false}) {
    for (int64_t bad : {5, 64, 511, 515}) {
      Problem p = make_problem({.M = 530, .N = 530, .D = 8, .E = 8});
      p.causal = Causal::kBottomRight;
      under_every_isa([&] {
        float& slot = in_key ? p.k(0, 0, bad, 2) : p.v(0, 0, bad, 2);
        slot = 0;
        const AttentionResult clean = p.attend();
        slot = kNaN;
        const AttentionResult found = p.attend();
        for (int64_t i = 0; i < 530; ++i) {
          const bool sees = i >= bad;
          EXPECT_EQ(std::isnan(found.out(0, 0, i, 2)), sees) << i;
          EXPECT_EQ(std::isnan(found.lse(0, 0, i)), sees && in_key) << i;
          if (sees) continue;
          EXPECT_EQ(std::memcmp(&found.out(0, 0, i, 0), &clean.out(0, 0, i, 0), 8 * sizeof(float)), 0) << i;
        }
      });
    }
  }
}

TEST(HiddenKeys, NaNInARowMaskedPerRowStaysWithTheRowsThatSeeIt) {
  Problem p = make_problem({.M = 31, .N = 70, .D = 8, .E = 8});
  Random random(2);
  p.mask = random_mask({1, 1, 31, 70}, 0.5, random);
  p.v(0, 0, 33, 1) = kNaN;
  const Judge judge(p);
  under_every_isa([&] { EXPECT_TRUE(judge.agrees(p.attend())); });
  p.k(0, 0, 50, 1) = kNaN;
  const Judge both(p);
  under_every_isa([&] { EXPECT_TRUE(both.agrees(p.attend())); });
}

TEST(HiddenKeys, AQueryThatIsNaNLeavesItsNeighboursAlone) {
  Problem p = make_problem({.M = 14, .N = 70, .D = 8, .E = 8});
  under_every_isa([&] {
    p.q(0, 0, 7, 3) = 0;
    const AttentionResult clean = p.attend();
    p.q(0, 0, 7, 3) = kNaN;
    const AttentionResult found = p.attend();
    for (int64_t i = 0; i < 14; ++i) {
      EXPECT_EQ(std::isnan(found.lse(0, 0, i)), i == 7) << i;
      if (i == 7) continue;
      EXPECT_EQ(std::memcmp(&found.out(0, 0, i, 0), &clean.out(0, 0, i, 0), 8 * sizeof(float)), 0) << i;
    }
  });
}

// A NaN query sees keys 0 to 2: those receive NaN, and no other key does, whatever else shares a vector with them.
TEST(HiddenKeys, ARowThatIsNaNGivesNothingToTheKeysMaskedFromIt) {
  Problem p = make_problem({.M = 14, .N = 14, .D = 8, .E = 8});
  p.causal = Causal::kBottomRight;
  p.q(0, 0, 2, 1) = kNaN;
  under_every_isa([&] {
    const LensResult lens = look(p.q, p.k, p.options(), {.rows = {2}, .top_k = 5, .received = true, .heatmap = 14});
    for (int64_t j = 0; j < 14; ++j) {
      EXPECT_EQ(std::isnan(lens.received(0, 0, j)), j <= 2) << j;
      EXPECT_EQ(std::isnan(lens.heatmap_sum(0, 0, 2, j)), j <= 2) << j;
      EXPECT_EQ(std::isnan(lens.rows(0, 0, 0, j)), j <= 2) << j;
    }
    for (int64_t r = 0; r < 5; ++r) {
      if (lens.top_index(0, 0, 2, r) >= 0) continue;
      EXPECT_EQ(lens.top_weight(0, 0, 2, r), 0) << r;
    }
  });
}

// A score that overflows to minus infinity hides its key like a mask does.
TEST(HiddenKeys, KeyWhoseScoreIsMinusInfinityCannotBeObserved) {
  Problem p = make_problem({.M = 3, .N = 20, .D = 4, .E = 4});
  for (int64_t i = 0; i < 3; ++i) std::fill_n(&p.q(0, 0, i, 0), 4, 1e20f);
  for (int64_t j = 0; j < 20; ++j) std::fill_n(&p.k(0, 0, j, 0), 4, j == 6 ? -1e30f : 1e-20f);
  under_every_isa([&] {
    std::fill_n(&p.v(0, 0, 6, 0), 4, 0.0f);
    const AttentionResult expected = p.attend();
    std::fill_n(&p.v(0, 0, 6, 0), 4, kNaN);
    EXPECT_TRUE(same_bits(p.attend(), expected));
  });
}

}  // namespace
}  // namespace limelight::testing
