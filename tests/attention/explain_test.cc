// explain(): the path, the tiles and the pairs a call will take, exactly; and about how much memory.
#include <gtest/gtest.h>

#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

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

TEST(Explain, ScratchDoesNotGrowWithTheLength) {
  const auto bytes = [](int64_t t) {
    return explain_shape({.M = t, .N = t, .D = 64, .E = 64}, {.run = {.threads = 2}}).scratch_bytes;
  };
  // Equal but for how evenly a length divides into blocks.
  EXPECT_NEAR(static_cast<double>(bytes(int64_t{1} << 20)), static_cast<double>(bytes(int64_t{1} << 15)), 1 << 18);
  EXPECT_LT(bytes(int64_t{1} << 20), int64_t{8} << 20);
}

TEST(Explain, TextSaysTheSame) {
  const Explanation e = explain_shape({.M = 1000, .N = 1000, .D = 16, .E = 16}, {.causal = Causal::kTopLeft});
  for (const std::string& part : {e.isa, std::to_string(e.tasks), std::to_string(e.live_pairs),
                                  std::to_string(e.tiles_skipped), std::to_string(e.scratch_bytes)}) {
    EXPECT_NE(e.text().find(part), std::string::npos) << part << " in\n" << e.text();
  }
}

}  // namespace
}  // namespace limelight::testing
