// Slots that no query may see: masked keys, unused cache, other sequences of a pack. Forward, lens and gradients.
#include <gtest/gtest.h>

#include "tests/attention/bug_cases.h"

namespace limelight::testing {
namespace {

// Row `j` of both tensors, block b, every head.
void spoil_row(Problem& p, int64_t b, int64_t j, float x) {
  for (Tensor<float, 4>* tensor : {&p.k, &p.v}) {
    for (int64_t g = 0; g < tensor->sizes()[1]; ++g) std::fill_n(&(*tensor)(b, g, j, 0), tensor->sizes()[3], x);
  }
}

// pytorch/pytorch#101967; Dao-AILab/flash-attention#1745: q, k and v are 0 to 7, the second key is masked.
TEST(HiddenCases, MaskedKeyOrValueOfAnyNumberLeavesEveryBit) {
  Problem p = make_problem({.M = 2, .N = 2, .D = 4, .E = 4});
  for (Tensor<float, 4>* t : {&p.q, &p.k, &p.v}) {
    for (int64_t n = 0; n < 8; ++n) t->data()[n] = static_cast<float>(n);
  }
  p.mask = Tensor<uint8_t, 4>({1, 1, 2, 2});
  (*p.mask)(0, 0, 0, 0) = (*p.mask)(0, 0, 1, 0) = 1;
  expect_unobserved(p, [](Problem& to, float x) { to.k(0, 0, 1, 0) = x; });
  expect_unobserved(p, [](Problem& to, float x) { to.v(0, 0, 1, 2) = x; });
  expect_unobserved(p, [](Problem& to, float x) { spoil_row(to, 0, 1, x); });
}

// vllm-project/vllm#936; Dao-AILab/flash-attention#2374.
TEST(HiddenCases, SlotsBeyondTheLengthOfACacheCannotBeObserved) {
  for (const auto& [slots, lengths] : {std::pair{int64_t{3}, std::vector<int64_t>{1, 3}}, {128, {32, 64, 96, 48}}}) {
    for (int64_t queries : {1, 2}) {
      const int64_t batch = static_cast<int64_t>(lengths.size());
      Problem p = make_problem({.B = batch, .H = 4, .G = 2, .M = queries, .N = slots, .D = 16, .E = 16});
      p.causal = Causal::kBottomRight;
      p.key_lengths = list_of(lengths);
      expect_unobserved(p, [](Problem& to, float x) {
        for (int64_t b = 0; b < to.shape.B; ++b) {
          for (int64_t j = (*to.key_lengths)(b); j < to.shape.N; ++j) spoil_row(to, b, j, x);
        }
      });
    }
  }
}

// Pages of 16 in any order: the end of each last page, and pages that nobody names.
TEST(HiddenCases, SlotsOfPagesBeyondTheLengthCannotBeObserved) {
  Problem p = make_problem({.B = 3, .H = 4, .G = 2, .M = 2, .N = 48, .D = 16, .E = 8});
  Random random(5);
  p.k = random_tensor({9, 2, 16, 16}, random), p.v = random_tensor({9, 2, 16, 8}, random);
  p.causal = Causal::kBottomRight;
  p.key_lengths = list_of({17, 0, 40});
  p.block_table = Tensor<int64_t, 2>({3, 3});
  const int64_t pages[] = {6, 2, -1, -1, -1, -1, 0, 7, 3};
  std::copy(std::begin(pages), std::end(pages), p.block_table->data());
  expect_unobserved(p, [](Problem& to, float x) {
    for (int64_t j = 1; j < 16; ++j) spoil_row(to, 2, j, x);
    for (int64_t j = 8; j < 16; ++j) spoil_row(to, 3, j, x);
    for (int64_t page : {1, 4, 5, 8}) {
      for (int64_t j = 0; j < 16; ++j) spoil_row(to, page, j, x);
    }
  });
}

// Dao-AILab/flash-attention#1395: a NaN in one packed sequence stays in it.
TEST(HiddenCases, SequencesOfAPackDoNotObserveEachOther) {
  Problem p = make_problem({.H = 2, .G = 1, .M = 20, .N = 600, .D = 8, .E = 8});
  p.cu_q = list_of({0, 7, 7, 20});
  p.cu_k = list_of({0, 530, 540, 600});
  under_every_isa([&] {
    const AttentionResult clean = p.attend();
    const float key = p.k(0, 0, 300, 1), value = p.v(0, 0, 300, 1);
    p.k(0, 0, 300, 1) = p.v(0, 0, 300, 1) = kNaN;
    const Everything found = everything(p);
    for (int64_t h = 0; h < 2; ++h) {
      for (int64_t i = 0; i < 20; ++i) {
        const bool sees = i < 7;
        EXPECT_EQ(std::isnan(found.attention.lse(0, h, i)), sees) << i;
        EXPECT_EQ(std::isnan(found.attention.out(0, h, i, 1)), sees) << i;
        EXPECT_EQ(std::isnan(found.gradients.dq(0, h, i, 0)), sees) << i;
        if (sees) continue;
        EXPECT_EQ(found.attention.out(0, h, i, 0), clean.out(0, h, i, 0)) << i;
      }
      for (int64_t j = 530; j < 600; ++j) EXPECT_FALSE(std::isnan(found.lens.received(0, h, j))) << j;
    }
    for (int64_t j = 530; j < 600; ++j) EXPECT_FALSE(std::isnan(found.gradients.dk(0, 0, j, 0))) << j;
    p.k(0, 0, 300, 1) = key, p.v(0, 0, 300, 1) = value;
  });
}

// pytorch/pytorch#141128: a NaN that is seen is not made a zero.
TEST(HiddenCases, NaNThatIsSeenPropagates) {
  Problem p = make_problem({.B = 2, .H = 4, .G = 4, .M = 16, .N = 16, .D = 8, .E = 8});
  std::fill_n(p.q.data(), p.q.count(), kNaN);
  under_every_isa([&] {
    const Everything found = everything(p);
    for (int64_t n = 0; n < found.attention.out.count(); ++n) ASSERT_TRUE(std::isnan(found.attention.out.data()[n]));
    for (int64_t n = 0; n < found.attention.lse.count(); ++n) ASSERT_TRUE(std::isnan(found.attention.lse.data()[n]));
    for (int64_t n = 0; n < found.lens.rows.count(); ++n) ASSERT_TRUE(std::isnan(found.lens.rows.data()[n]));
    for (int64_t n = 0; n < found.gradients.dv.count(); ++n) ASSERT_TRUE(std::isnan(found.gradients.dv.data()[n]));
  });
}

}  // namespace
}  // namespace limelight::testing
