// A row's result is its own: alone or in a batch, on any number of threads, in one go or token by token; and the
// weights shown are those that made it.
#include <gtest/gtest.h>

#include "tests/attention/bug_cases.h"

namespace limelight::testing {
namespace {

Everything with_threads(const Problem& p, int threads) {
  AttentionOptions options = p.options();
  options.run.threads = threads;
  return everything({p.q, p.k, p.v, options});
}

// PriorLabs/TabPFN#800; AtomaAI/atoma-infer#257.
TEST(SameBitsCases, RowAloneOrInABatchOfAnySize) {
  for (int64_t batch : {2, 32}) {
    Problem p = make_problem({.B = batch, .H = 4, .G = 2, .M = 3, .N = 600, .D = 32, .E = 32});
    p.causal = Causal::kBottomRight;
    under_every_isa([&] {
      const AttentionResult all = p.attend();
      for (int64_t b : {int64_t{0}, batch - 1}) {
        const auto entry = [b](auto view) { return slice(view, 0, b, 1); };
        const AttentionResult one = attention(entry(p.q.view()), entry(p.k.view()), entry(p.v.view()), p.options());
        EXPECT_TRUE(same_bits(one.out, copy_of(entry(all.out.view())))) << batch;
        EXPECT_TRUE(same_bits(one.lse, copy_of(entry(all.lse.view())))) << batch;
      }
    });
  }
}

// deepseek-ai/FlashMLA#212.
TEST(SameBitsCases, AnyNumberOfThreadsForwardInTheLensAndBackward) {
  for (const Shape& shape : {Shape{.H = 2, .G = 1, .M = 700, .N = 700, .D = 16, .E = 16},
                             Shape{.H = 4, .G = 2, .M = 2, .N = 5000, .D = 32, .E = 32}}) {
    Problem p = make_problem(shape);
    p.causal = Causal::kBottomRight;
    under_every_isa([&] {
      const Everything one = with_threads(p, 1);
      for (int threads : {2, 7, 16}) EXPECT_TRUE(same_bits(with_threads(p, threads), one)) << threads;
    });
  }
}

TEST(SameBitsCases, TokenByTokenAsInOneGo) {
  Problem p = make_problem({.H = 4, .G = 2, .M = 530, .N = 530, .D = 16, .E = 16});
  p.causal = Causal::kBottomRight;
  under_every_isa([&] {
    const AttentionResult full = p.attend();
    for (int64_t t : {0, 1, 63, 511, 512, 529}) {
      AttentionOptions options = p.options();
      options.run.threads = 2;
      const AttentionResult token = attention(slice(p.q.view(), 2, t, 1), slice(p.k.view(), 2, 0, t + 1),
                                              slice(p.v.view(), 2, 0, t + 1), options);
      EXPECT_TRUE(same_bits(token.out, copy_of(slice(full.out.view(), 2, t, 1)))) << t;
      EXPECT_TRUE(same_bits(token.lse, copy_of(slice(full.lse.view(), 2, t, 1)))) << t;
    }
  });
}

// Each row of weights adds to 1, or to 0 where it sees no key; times the values they are the output.
void expect_weights(const Problem& p, const LensResult& lens, const AttentionResult& found) {
  const std::array<int64_t, 4> sizes{p.shape.B, p.shape.H, p.shape.M, p.shape.N};
  ASSERT_EQ(lens.rows.sizes(), sizes);
  const int64_t share = p.shape.H / p.shape.G;
  for (int64_t h = 0; h < sizes[1]; ++h) {
    for (int64_t i = 0; i < sizes[2]; ++i) {
      double sum = 0, out = 0;
      for (int64_t j = 0; j < sizes[3]; ++j) {
        sum += lens.rows(0, h, i, j);
        out += lens.rows(0, h, i, j) * p.v(0, h / share, j, 1);
      }
      EXPECT_NEAR(sum, found.lse(0, h, i) == -kInfinity ? 0 : 1, 1e-6) << p.text() << " row " << i;
      EXPECT_NEAR(out, found.out(0, h, i, 1), 2e-6) << p.text() << " row " << i;
    }
  }
}

// pytorch/pytorch#42929; Dao-AILab/flash-attention#902; huggingface/transformers#33417.
TEST(SameBitsCases, WeightsShownAreTheOnesUsedBeforeDropoutForEveryQueryHead) {
  Random random(7);
  for (Causal causal : {Causal::kNone, Causal::kBottomRight}) {
    for (bool masked : {false, true}) {
      Problem p = make_problem({.H = 4, .G = 2, .M = 4, .N = 4, .D = 8, .E = 8});
      p.causal = causal;
      if (masked) p.mask = random_mask({1, 1, 4, 4}, 0.5, random);
      under_every_isa([&] {
        p.dropout = {};
        const Everything plain = everything(p);
        expect_weights(p, plain.lens, plain.attention);
        p.dropout = {.probability = 0.2f, .seed = 3, .offset = 1};
        const Everything dropped = everything(p);
        EXPECT_TRUE(same_bits(dropped.lens, plain.lens));
        EXPECT_TRUE(same_bits(dropped.attention.lse, plain.attention.lse));
        EXPECT_FALSE(same_bits(dropped.attention.out, plain.attention.out));
      });
    }
  }
}

}  // namespace
}  // namespace limelight::testing
