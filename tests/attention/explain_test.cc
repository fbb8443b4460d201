// explain(): the path, the tiles and the pairs a call will take, exactly; and about how much memory.
#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "core/scratch.h"
#include "tests/attention/compare.h"
#include "tests/attention/problem.h"
#include "tests/attention/stored.h"

namespace limelight::testing {
namespace {

// Arguments of these sizes without memory behind more than one row each: explain() reads no number.
struct Outline {
  explicit Outline(const Shape& s)
      : row({1, 1, 1, std::max(s.D, s.E)}),
        q(broadcast({s.B, s.H, s.M, s.D})),
        k(broadcast({s.B, s.G, s.N, s.D})),
        v(broadcast({s.B, s.G, s.N, s.E})) {}
  TensorView<const float, 4> broadcast(const std::array<int64_t, 4>& sizes) const {
    return {row.data(), sizes, {0, 0, 0, 1}};
  }
  Tensor<float, 4> row;
  TensorView<const float, 4> q, k, v;
};

Explanation explain_shape(const Shape& shape, const AttentionOptions& options) {
  const Outline o(shape);
  return explain(o.q, o.k, o.v, options);
}

TEST(Explain, NamesTheInstructionSetInUse) {
  under_every_isa([] { EXPECT_EQ(explain_shape({}, {}).isa, detail::active_kernels().isa); });
}

TEST(Explain, LivePairsAreExact) {
  for (Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    for (Window window : {Window{}, Window{.left = 3, .right = 0}, Window{.left = 100, .right = 7}}) {
      for (auto [m, n] : {std::pair{0, 5}, {5, 0}, {7, 7}, {40, 130}, {130, 40}, {1, 600}}) {
        Problem p = make_problem({.B = 2, .H = 4, .G = 2, .M = m, .N = n, .D = 4, .E = 4});
        p.causal = causal;
        p.window = window;
        p.key_lengths = Tensor<int64_t, 1>({2});
        (*p.key_lengths)(0) = n, (*p.key_lengths)(1) = n / 2;
        const auto exact = detail::reference_attention<double>(p.q, p.k, p.v, p.options());
        int64_t live = 0;
        for (int64_t at = 0; at < exact.blocked.count(); ++at) live += exact.blocked.data()[at] == 0;
        EXPECT_EQ(explain(p.q, p.k, p.v, p.options()).live_pairs, live) << p.text();
      }
    }
  }
}

TEST(Explain, CausalSkipsNearlyHalfOfTheTiles) {
  const Shape shape{.B = 1, .H = 2, .G = 2, .M = 16384, .N = 16384, .D = 64, .E = 64};
  const Explanation full = explain_shape(shape, {});
  EXPECT_EQ(full.tiles_skipped, 0);
  EXPECT_EQ(full.key_tile, detail::kKeyTile);
  EXPECT_EQ(full.tiles, full.tasks * (16384 / detail::kKeyTile));
  const Explanation causal = explain_shape(shape, {.causal = Causal::kBottomRight});
  EXPECT_EQ(causal.tiles, full.tiles);
  // Half of them, but for the tiles that the diagonal of a block of rows crosses.
  const int64_t crossed = (causal.query_block + causal.key_tile) * causal.tiles / (2 * 16384);
  EXPECT_GE(causal.tiles_skipped, causal.tiles / 2 - crossed);
  EXPECT_LT(causal.tiles_skipped, causal.tiles / 2);
}

TEST(Explain, AWindowSkipsAllButItsTiles) {
  const Shape shape{.M = 65536, .N = 65536, .D = 64, .E = 64};
  const Explanation e = explain_shape(shape, {.causal = Causal::kBottomRight, .window = {.left = 255, .right = 0}});
  // A block of rows and the 255 keys before it reach at most this many tiles.
  const int64_t most = (e.query_block + 255) / e.key_tile + 2;
  EXPECT_LE(e.tiles - e.tiles_skipped, e.tasks * most);
  EXPECT_GE(e.tiles - e.tiles_skipped, e.tasks);
}

TEST(Explain, ShortSequencesHaveFewTiles) {
  Problem p = make_problem({.B = 2, .M = 4, .N = 2048, .D = 4, .E = 4});
  p.key_lengths = Tensor<int64_t, 1>({2});
  (*p.key_lengths)(0) = 10, (*p.key_lengths)(1) = 513;
  EXPECT_EQ(explain(p.q, p.k, p.v, p.options()).tiles, 3);
}

TEST(Explain, ThreadsAreNoMoreThanAskedOrThanTasks) {
  EXPECT_EQ(explain_shape({.M = 4096, .N = 64}, {.run = {.threads = 1}}).threads, 1);
  EXPECT_LE(explain_shape({.M = 4096, .N = 64}, {.run = {.threads = 3}}).threads, 3);
  EXPECT_EQ(explain_shape({.M = 1, .N = 64}, {.run = {.threads = 7}}).threads, 1);
}

// Of views of stride 0, which are as long as their numbers say and take no memory.
TEST(Explain, LivePairsOfTheLongestCallsAreCountedAtOnceAndNeverOverflow) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const float one = 1;
  const auto pairs = [&](int64_t heads, Causal causal) {
    const TensorView<const float, 4> view{&one, {1, heads, kMost, 1}, {0, 0, 0, 1}};
    return explain(view, view, view, {.causal = causal, .run = {.threads = 1}}).live_pairs;
  };
  EXPECT_EQ(pairs(1, Causal::kNone), kMost * kMost);
  EXPECT_EQ(pairs(1, Causal::kTopLeft), kMost * (kMost + 1) / 2);
  EXPECT_EQ(pairs(3, Causal::kNone), std::numeric_limits<int64_t>::max());
}

// What one thread really takes for a call, counted on a thread of its own.
int64_t taken_by(const Problem& p, FloatView k, FloatView v) {
  int64_t taken = 0;
  std::thread([&] {
    AttentionOptions options = p.options();
    options.run.threads = 1;
    attention(p.q, k, v, options);
    taken = detail::Scratch::most_taken();
  }).join();
  return taken;
}

TEST(Explain, ScratchIsWhatACallTakesWithinATenth) {
  const auto expect = [](const Problem& p, FloatView k, FloatView v) {
    AttentionOptions options = p.options();
    options.run.threads = 1;
    const double taken = static_cast<double>(taken_by(p, k, v));
    EXPECT_NEAR(static_cast<double>(explain(p.q, k, v, options).scratch_bytes), taken, 0.1 * taken) << p.text();
  };
  for (const Shape& shape : {Shape{.H = 2, .G = 2, .M = 2000, .N = 1100, .D = 64, .E = 64},
                             Shape{.H = 4, .G = 1, .M = 1, .N = 3000, .D = 128, .E = 128},
                             Shape{.H = 1, .G = 1, .M = 40, .N = 700, .D = 80, .E = 33},
                             Shape{.H = 1, .G = 1, .M = 700, .N = 90, .D = 3, .E = 200}}) {
    Problem p = make_problem(shape);
    under_every_isa([&] {
      expect(p, p.k, p.v);
      const Stored k(p.k, Storage::kBf16, {}), v(p.v, Storage::kF16, {});
      expect(p, k.view(), v.view());
      const Laid<float> gaps({.name = "every second row", .step = {1, 1, 2, 1}}, p.v, kNaN);
      expect(p, p.k, gaps.view());
    });
  }
  // Few rows of a cache that holds less than it has room for: its keys go through panels.
  Problem cache = make_problem({.H = 1, .G = 1, .M = 1, .N = 4096, .D = 64, .E = 64});
  cache.key_lengths = Tensor<int64_t, 1>({1});
  for (const int64_t length : {50, 3000}) {
    (*cache.key_lengths)(0) = length;
    under_every_isa([&] { expect(cache, cache.k, cache.v); });
  }
  Problem p = make_problem({.H = 2, .G = 2, .M = 200, .N = 600, .D = 16, .E = 16});
  Random random(1);
  p.bias = random_tensor({1, 1, 200, 600}, random);
  p.mask = random_mask({1, 1, 1, 600}, 0.5, random);
  p.dropout.probability = 0.1f;
  under_every_isa([&] { expect(p, p.k, p.v); });
}

TEST(Explain, ScratchDoesNotGrowWithTheLength) {
  const auto bytes = [](int64_t t) {
    return explain_shape({.M = t, .N = t, .D = 64, .E = 64}, {.run = {.threads = 2}}).scratch_bytes;
  };
  // Equal but for how evenly a length divides into blocks.
  EXPECT_NEAR(static_cast<double>(bytes(int64_t{1} << 20)), static_cast<double>(bytes(int64_t{1} << 15)), 1 << 18);
  EXPECT_LT(bytes(int64_t{1} << 20), int64_t{8} << 20);
}

// One query against many keys on several threads keeps a partial a tile, of the tiles that it sees alone.
TEST(Explain, ScratchOfSplitKeysCountsTheTilesThatAreSeen) {
  const auto explained = [](int64_t first, Window window) {
    return explain_shape({.H = 2, .G = 2, .M = 1, .N = 1 << 16, .D = 64, .E = 64},
                         {.causal = Causal::kBottomRight,
                          .window = window,
                          .part = KeyPart{first, first + (1 << 16)},
                          .run = {.threads = 2}});
  };
  const Explanation near = explained(0, {}), far = explained(int64_t{1} << 30, {});
  ASSERT_GT(near.key_splits, 1);
  EXPECT_EQ(far.scratch_bytes, near.scratch_bytes);
  const Explanation few = explained(0, {.left = 4095, .right = 0});
  ASSERT_GT(few.key_splits, 1);
  EXPECT_EQ(near.scratch_bytes - few.scratch_bytes, 2 * (128 - 8) * (64 + 2) * 4);
}

TEST(Explain, TextSaysTheSameLineByLine) {
  Explanation e;
  e.isa = "avx2", e.threads = 3, e.tasks = 11, e.query_block = 48, e.key_splits = 5, e.key_tile = 512;
  e.tiles = 101, e.tiles_skipped = 17, e.live_pairs = 123456, e.scratch_bytes = 789;
  EXPECT_EQ(e.text(),
            "instruction set   avx2\n"
            "threads           3\n"
            "tasks             11 of at most 48 query rows, keys in 5 pieces\n"
            "key tiles         101 of 512 keys, 17 skipped\n"
            "live pairs        123456\n"
            "scratch           789 bytes\n");
  e.key_splits = 1;
  EXPECT_NE(e.text().find("11 of at most 48 query rows\n"), std::string::npos) << e.text();
}

}  // namespace
}  // namespace limelight::testing
