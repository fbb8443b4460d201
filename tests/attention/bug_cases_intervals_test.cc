// Which keys a query sees where queries and keys differ in number: causal corners and windows.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/attention/bug_cases.h"

namespace limelight::testing {
namespace {

using Keys = std::vector<int64_t>;

Keys range(int64_t begin, int64_t end) {
  Keys keys(static_cast<size_t>(end - begin));
  std::iota(keys.begin(), keys.end(), begin);
  return keys;
}

// Each row of `seen` are the keys of one query, of every head; all of the call agrees with the reference.
void expect_seen(const Problem& p, const std::vector<Keys>& seen) {
  expect_exact(p);
  under_every_isa([&] {
    const Everything found = everything(p);
    for (size_t i = 0; i < seen.size(); ++i) {
      const int64_t row = static_cast<int64_t>(i);
      EXPECT_EQ(seen_keys(found.lens, 0, p.shape.H - 1, row), seen[i]) << p.text() << " row " << i;
      if (seen[i].empty()) expect_dead(found, 0, 0, row);
    }
  });
}

// pytorch/executorch#22426; pytorch/pytorch#103082, #108108; ml-explore/mlx#2836; Dao-AILab/flash-attention#282, #1778.
TEST(IntervalCases, BottomRightCausalLetsTheLastQuerySeeAllKeys) {
  Problem decode = make_problem({.H = 4, .G = 4, .M = 1, .N = 16, .D = 64, .E = 64});
  decode.causal = Causal::kBottomRight;
  expect_seen(decode, {range(0, 16)});
  under_every_isa([&] { EXPECT_TRUE(same_bits(everything(decode), everything({decode.q, decode.k, decode.v, {}}))); });
  Problem wide = make_problem({.M = 2, .N = 4, .D = 8, .E = 8});
  wide.causal = Causal::kBottomRight;
  expect_seen(wide, {range(0, 3), range(0, 4)});
  Problem tall = make_problem({.M = 5, .N = 2, .D = 8, .E = 8});
  tall.causal = Causal::kBottomRight;
  expect_seen(tall, {{}, {}, {}, {0}, {0, 1}});
}

TEST(IntervalCases, TopLeftCausalIsAnotherNameWithAnotherResult) {
  Problem decode = make_problem({.H = 4, .G = 4, .M = 1, .N = 16, .D = 64, .E = 64});
  decode.causal = Causal::kTopLeft;
  expect_seen(decode, {{0}});
  Problem wide = make_problem({.M = 2, .N = 4, .D = 8, .E = 8});
  wide.causal = Causal::kTopLeft;
  expect_seen(wide, {{0}, {0, 1}});
  Problem tall = make_problem({.M = 5, .N = 2, .D = 8, .E = 8});
  tall.causal = Causal::kTopLeft;
  expect_seen(tall, {{0}, {0, 1}, {0, 1}, {0, 1}, {0, 1}});
}

// A model's window of W tokens.
Problem with_window(int64_t m, int64_t n, int64_t w, Causal causal = Causal::kBottomRight) {
  Problem p = make_problem({.M = m, .N = n, .D = 8, .E = 8});
  p.causal = causal;
  p.window = {.left = w - 1, .right = 0};
  return p;
}

// huggingface/transformers#39408, #41228; zml/zml#763.
TEST(IntervalCases, WindowOfWTokensHoldsWKeysTheQuerysOwnIncluded) {
  expect_seen(with_window(6, 6, 2), {{0}, {0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}});
  expect_seen(with_window(6, 6, 1), {{0}, {1}, {2}, {3}, {4}, {5}});
  expect_seen(with_window(1, 800, 200), {range(600, 800)});
}

TEST(IntervalCases, WindowAsWideAsTheKeysIsPlainCausalInBits) {
  for (const auto& [length, w] : {std::pair{200, 496}, {200, 200}, {6, 6}, {6, 1000}}) {
    const Problem p = with_window(length, length, w);
    under_every_isa([&, w = w] {
      EXPECT_TRUE(same_bits(everything(p), everything({p.q, p.k, p.v, {.causal = Causal::kBottomRight}}))) << w;
    });
  }
}

// ml-explore/mlx-lm#390: a cache that holds only the window, against a mask over all keys.
TEST(IntervalCases, CacheThatKeepsOnlyTheWindowGivesTheRowOfTheFullPass) {
  constexpr int64_t kWindow = 200, kLength = 800;
  const Problem p = with_window(1, kLength, kWindow);
  const auto last = [&](const Tensor<float, 4>& t) { return slice(t.view(), 2, kLength - kWindow, kWindow); };
  Problem kept = make_problem({.M = 1, .N = kWindow, .D = 8, .E = 8});
  kept.q = p.q.clone(), kept.k = copy_of(last(p.k)), kept.v = copy_of(last(p.v));
  const Judge judge(kept);
  under_every_isa([&] { EXPECT_TRUE(judge.agrees(p.attend())); });
}

}  // namespace
}  // namespace limelight::testing
