// q and k before the rotation of positions: what the observer sees is what the rotation makes of them.
#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "tests/model/tiny_decoder.h"

namespace limelight::testing {
namespace {

// All heads of one layer, [H, T, D], and how often it was seen.
struct Vectors {
  std::vector<float> q, k;
  int calls = 0;

  template <class Seen>
  void keep(const Seen& seen) {
    for (auto [view, to] : {std::pair{seen.q, &q}, {seen.k, &k}}) {
      to->clear();
      const auto [batch, heads, tokens, depth] = view.sizes;
      for (int64_t i = 0; i < heads * tokens * depth; ++i)
        to->push_back(view(0, i / depth / tokens, i / depth % tokens, i % depth));
    }
    ++calls;
  }
};

struct Watched {
  Vectors before, after;

  DecoderOptions options(int64_t layer) {
    DecoderOptions options;
    options.projections = [this, layer](const LayerProjection& seen) {
      if (seen.layer == layer) before.keep(seen);
    };
    options.observer = [this, layer](const LayerAttention& seen) {
      if (seen.layer != layer) return;
      EXPECT_EQ(before.calls, after.calls + 1);  // it comes second
      after.keep(seen);
    };
    return options;
  }
};

// The largest distance of `after` from `before` turned in double: channel c with c + D/2, at 10000^(-2c/D) a token.
double turned_apart(const std::vector<float>& before, const std::vector<float>& after, int64_t tokens, int64_t depth) {
  double most = 0;
  for (size_t row = 0; row < before.size() / static_cast<size_t>(depth); ++row) {
    const auto token = static_cast<double>(row % static_cast<size_t>(tokens));
    const float *from = &before[row * static_cast<size_t>(depth)], *to = &after[row * static_cast<size_t>(depth)];
    for (int64_t c = 0; c < depth / 2; ++c) {
      const double angle = token * std::pow(10000.0, -2.0 * static_cast<double>(c) / static_cast<double>(depth));
      const double x = from[c], y = from[c + depth / 2];
      most = std::max({most, std::abs(x * std::cos(angle) - y * std::sin(angle) - to[c]),
                       std::abs(y * std::cos(angle) + x * std::sin(angle) - to[c + depth / 2])});
    }
  }
  return most;
}

TEST(Projections, AreWhatTheRotationTurns) {
  const Decoder decoder = TinyDecoder("llama").load();
  const std::vector<int32_t> ids = tiny_ids("llama", 0);
  const auto tokens = static_cast<int64_t>(ids.size());
  for (const int64_t layer : {0, 1}) {
    Watched watched;
    logits_of(decoder, ids, watched.options(layer));
    ASSERT_EQ(watched.before.q.size(), watched.after.q.size());
    ASSERT_EQ(watched.before.k.size(), watched.after.k.size());
    const int64_t depth = decoder.config().head_size;
    EXPECT_LT(turned_apart(watched.before.q, watched.after.q, tokens, depth), 2e-6);
    EXPECT_LT(turned_apart(watched.before.k, watched.after.k, tokens, depth), 2e-6);
    EXPECT_NE(watched.before.q, watched.after.q);
  }
}

TEST(Projections, AreOfTheNewTokensOfACall) {
  const Decoder decoder = TinyDecoder("llama").load();
  const std::vector<int32_t> ids = tiny_ids("llama", 0);
  Watched whole, last;
  logits_of(decoder, ids, whole.options(1));
  DecoderCache cache(decoder.config(), 11);
  decoder.forward(std::span(ids).first(10), cache);
  decoder.forward(std::span(ids).subspan(10), cache, last.options(1));
  const auto depth = static_cast<size_t>(decoder.config().head_size);
  ASSERT_EQ(last.before.k.size(), depth * static_cast<size_t>(decoder.config().groups));
  for (size_t c = 0; c < depth; ++c) EXPECT_EQ(last.before.k[c], whole.before.k[10 * depth + c]);
}

TEST(Projections, AreNotShownWhereNothingTurns) {
  Watched watched;
  DecoderOptions options = watched.options(0);
  options.observer = nullptr;
  logits_of(TinyDecoder("gpt2").load(), tiny_ids("gpt2", 0), options);
  EXPECT_EQ(watched.before.calls, 0);
}

}  // namespace
}  // namespace limelight::testing
