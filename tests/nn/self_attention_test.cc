// Laws of the self-attention module.
#include "limelight/nn.h"
#include "tests/nn/matrices.h"

namespace limelight {
namespace {

using namespace limelight::testing;

constexpr int64_t kIn = 20, kChannels = 24;
constexpr Causal kMasks[] = {Causal::kNone, Causal::kBottomRight};

struct Parameters {
  Tensor<float, 2> query = random_matrix(kChannels, kIn, 1), key = random_matrix(kChannels, kIn, 2),
                   value = random_matrix(kChannels, kIn, 3), output = random_matrix(10, kChannels, 4);
  Tensor<float, 1> query_bias = random_vector(kChannels, 5), key_bias = random_vector(kChannels, 6),
                   value_bias = random_vector(kChannels, 7), output_bias = random_vector(10, 8);

  SelfAttention::Weights all() const {
    return {
        query, key, value, output.view(), query_bias.view(), key_bias.view(), value_bias.view(), output_bias.view()};
  }
  SelfAttention::Weights projections() const { return {.query = query, .key = key, .value = value}; }
};

template <int Rank>
TensorView<const float, 2> flat(const Tensor<float, Rank>& t) {
  return {t.data(), {1, t.count()}, {t.count(), 1}};
}

TEST(SelfAttention, EqualsItsParts) {
  const Parameters p;
  const auto x = random_tensor<3>({2, 7, kIn}, 9);
  const TensorView<const float, 2> rows{x.data(), {14, kIn}, {kIn, 1}};
  for (const Causal causal : kMasks) {
    for (const int64_t heads : {1, 3, 24}) {
      under_every_isa([&] {
        Tensor<float, 2> q({14, kChannels}), k({14, kChannels}), v({14, kChannels}), blend({14, kChannels}),
            y({14, 10});
        Linear(p.query, p.query_bias.view()).forward(rows, q);
        Linear(p.key, p.key_bias.view()).forward(rows, k);
        Linear(p.value, p.value_bias.view()).forward(rows, v);
        const int64_t depth = kChannels / heads;
        const std::array<int64_t, 4> sizes{2, heads, 7, depth}, strides{7 * kChannels, depth, kChannels, 1};
        const auto heads_of = [&](Tensor<float, 2>& rows_of) {
          return TensorView<float, 4>{rows_of.data(), sizes, strides};
        };
        attention(heads_of(q), heads_of(k), heads_of(v), {.causal = causal}, heads_of(blend));
        Linear(p.output, p.output_bias.view()).forward(blend, y);
        const auto result = SelfAttention(p.all(), heads, causal).forward(x);
        EXPECT_EQ(result.output.sizes(), (std::array<int64_t, 3>{2, 7, 10}));
        EXPECT_EQ(result.weights.count(), 0);
        expect_same_bits(flat(result.output), flat(y));
      });
    }
  }
}

TEST(SelfAttention, HeadsAreSingleHeadsSideBySide) {
  const Parameters p;
  const auto x = random_tensor<3>({1, 6, kIn}, 9);
  under_every_isa([&] {
    const auto both = SelfAttention(p.projections(), 2, Causal::kBottomRight).forward(x, true);
    for (int64_t h = 0; h < 2; ++h) {
      const auto half = [&](const Tensor<float, 2>& w) {
        return TensorView<const float, 2>{&w(h * 12, 0), {12, kIn}, {kIn, 1}};
      };
      const SelfAttention alone({.query = half(p.query), .key = half(p.key), .value = half(p.value)}, 1,
                                Causal::kBottomRight);
      const auto one = alone.forward(x, true);
      expect_same_bits({&both.output(0, 0, h * 12), {6, 12}, {kChannels, 1}}, {one.output.data(), {6, 12}, {12, 1}});
      expect_same_bits({&both.weights(0, h, 0, 0), {6, 6}, {6, 1}}, {one.weights.data(), {6, 6}, {6, 1}});
    }
  });
}

TEST(SelfAttention, WeightsAddToOneAndTheFutureWeighsNothing) {
  const Parameters p;
  const auto x = random_tensor<3>({2, 9, kIn}, 9);
  under_every_isa([&] {
    const auto w = SelfAttention(p.all(), 3, Causal::kBottomRight).forward(x, true).weights;
    ASSERT_EQ(w.sizes(), (std::array<int64_t, 4>{2, 3, 9, 9}));
    for (int64_t row = 0; row < 2 * 3 * 9; ++row) {
      const float* weight = w.data() + row * 9;
      double sum = 0;
      for (int64_t j = 0; j < 9; ++j) sum += weight[j];
      EXPECT_NEAR(sum, 1, 1e-6);
      for (int64_t j = row % 9 + 1; j < 9; ++j) EXPECT_EQ(weight[j], 0);
    }
  });
}

TEST(SelfAttention, AskingForWeightsChangesNoBit) {
  const Parameters p;
  const auto x = random_tensor<3>({1, 70, kIn}, 9);
  const SelfAttention layer(p.all(), 3);
  expect_same_bits(flat(layer.forward(x, true).output), flat(layer.forward(x).output));
}

TEST(SelfAttention, SameBitsAloneAndInABatchAndForAnyStrides) {
  const Parameters p;
  const auto x = random_tensor<3>({3, 5, kIn}, 9);
  Tensor<float, 3> wide({3, 6, kIn + 2});
  for (int64_t b = 0; b < 3; ++b) {
    for (int64_t t = 0; t < 5; ++t) std::copy_n(&x(b, t, 0), kIn, &wide(2 - b, 5 - t, 1));
  }
  under_every_isa([&] {
    const SelfAttention layer(p.all(), 2);
    const auto all = layer.forward(x).output;
    for (int64_t b = 0; b < 3; ++b) {
      const auto alone = layer.forward({&x(b, 0, 0), {1, 5, kIn}, {0, kIn, 1}}).output;
      expect_same_bits(flat(alone), {&all(b, 0, 0), {1, 50}, {50, 1}});
    }
    const int64_t row = kIn + 2;
    expect_same_bits(flat(layer.forward({&wide(2, 5, 1), {3, 5, kIn}, {-6 * row, -row, 1}}).output), flat(all));
  });
}

TEST(SelfAttention, SameBitsForAnyThreadCount) {
  const Parameters p;
  const auto x = random_tensor<3>({2, 300, kIn}, 9);
  const SelfAttention layer(p.all(), 4, Causal::kBottomRight);
  const auto expected = layer.forward(x, true, {.threads = 1});
  for (const int threads : {0, 2, 3, 7}) {
    const auto result = layer.forward(x, true, {.threads = threads});
    expect_same_bits(flat(result.output), flat(expected.output));
    expect_same_bits(flat(result.weights), flat(expected.weights));
  }
}

TEST(SelfAttention, ALaterTokenCannotBeObserved) {
  const Parameters p;
  auto x = random_tensor<3>({1, 8, kIn}, 9);
  under_every_isa([&] {
    const SelfAttention layer(p.all(), 2, Causal::kBottomRight);
    x(0, 5, 3) = 0;
    const auto clean = layer.forward(x).output;
    x(0, 5, 3) = std::numeric_limits<float>::quiet_NaN();
    const auto y = layer.forward(x).output;
    expect_same_bits({y.data(), {5, 10}, {10, 1}}, {clean.data(), {5, 10}, {10, 1}});
    for (int64_t t = 5; t < 8; ++t) EXPECT_TRUE(std::isnan(y(0, t, 0)));
  });
}

TEST(SelfAttention, NothingIsFine) {
  const Parameters p;
  const SelfAttention layer(p.all(), 2);
  EXPECT_EQ(layer.forward(Tensor<float, 3>({0, 4, kIn}), true).output.count(), 0);
  EXPECT_EQ(layer.forward(Tensor<float, 3>({4, 0, kIn}), true).output.count(), 0);
}

TEST(SelfAttention, RefusesWhatDoesNotFit) {
  const Parameters p;
  const auto with = [&](auto change, int64_t heads = 2) {
    return [&p, change, heads] {
      SelfAttention::Weights weights = p.all();
      change(weights);
      const SelfAttention layer(weights, heads);
    };
  };
  const auto same = [](auto&) {};
  const auto three = random_vector(3, 1);
  const auto heads = [](const std::string& found) {
    return "[self_attention] heads: expected a divisor of the 24 channels, found " + found;
  };
  expect_refused(with(same, 5), heads("5"));
  expect_refused(with(same, 0), heads("0"));
  expect_refused(with(same, -2), heads("-2"));
  expect_refused(with(same, 48), heads("48"));
  expect_refused(with([&](auto& w) { w.key = p.output; }), "[self_attention] key: expected [24, 20], found [10, 24]");
  expect_refused(with([&](auto& w) { w.value = p.output; }),
                 "[self_attention] value: expected [24, 20], found [10, 24]");
  expect_refused(with([&](auto& w) { w.output = p.query.view(); }),
                 "[self_attention] output: expected [any, 24], found [24, 20]");
  expect_refused(with([&](auto& w) { w.key_bias = three.view(); }),
                 "[self_attention] key_bias: expected [24], found [3]");
  expect_refused(with([&](auto& w) { w.output_bias = three.view(); }),
                 "[self_attention] output_bias: expected [10], found [3]");
  expect_refused(with([&](auto& w) { w.output.reset(); }),
                 "[self_attention] output_bias: expected with output, found without");
  const SelfAttention layer(p.all(), 2);
  expect_refused(
      [&] {
        layer.forward(random_tensor<3>({1, 4, 19}, 1));
      },
      "[self_attention] x: expected [any, any, 20], found [1, 4, 19]");
  const auto x = random_tensor<3>({1, kIn, kIn}, 1);
  expect_refused(
      [&] {
        layer.forward({x.data(), {1, kIn, kIn}, {0, 1, kIn}});
      },
      "[self_attention] x: expected a last axis of stride 1, found strides [0, 1, 20]");
}

}  // namespace
}  // namespace limelight
