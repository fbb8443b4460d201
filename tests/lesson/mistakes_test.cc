// Each mistake does the harm it is shown for, and the right way beside it does not.
#include "lesson/mistakes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/lesson/heads.h"

namespace limelight::lesson {
namespace {

void expect_right(const Mistake& mistake, const RandomHead& head) {
  RandomHead causal(1, 1, 1, Causal::kBottomRight);
  causal.q = head.q.clone();
  causal.k = head.k.clone();
  causal.v = head.v.clone();
  const auto expected = causal.reference();
  ASSERT_TRUE(mistake.right.grid);
  for (int64_t i = 0; i < head.q.sizes()[2]; ++i) {
    EXPECT_NEAR(mistake.right.row_sums[static_cast<size_t>(i)], 1, 1e-6);
    for (int64_t j = 0; j < head.q.sizes()[2]; ++j) {
      EXPECT_NEAR((*mistake.right.grid)(i, j), expected.weights(0, 0, i, j), 2e-6);
      EXPECT_EQ(mistake.blocked(i, j), j > i);
    }
  }
}

TEST(MaskAfterSoftmax, RowsLackWhatWentToTheFuture) {
  const RandomHead head(12, 16, 16, Causal::kNone);
  const auto expected = head.reference();
  const MaskAfterSoftmax mistake = mask_after_softmax(head.input());
  expect_right(mistake, head);
  double least = 1;
  for (int64_t i = 0; i < 12; ++i) {
    double past = 0;
    for (int64_t j = 0; j <= i; ++j) past += expected.weights(0, 0, i, j);
    EXPECT_NEAR(mistake.wrong.row_sums[static_cast<size_t>(i)], past, 1e-6);
    least = std::min(least, past);
  }
  EXPECT_NEAR(mistake.smallest_row_sum, least, 1e-6);
  EXPECT_NEAR(mistake.leak, 1 - least, 1e-6);
  EXPECT_NEAR(mistake.largest_row_sum, 1, 1e-6) << "the last row sees all";
}

TEST(NoScaling, RowsCloseAndTheGradientGoes) {
  const RandomHead head(24, 64, 8, Causal::kNone);
  const NoScaling mistake = no_scaling(head.input());
  expect_right(mistake, head);
  EXPECT_NEAR(mistake.largest_score / mistake.largest_scaled, 8, 1e-4);
  EXPECT_LT(mistake.entropy_wrong, 0.3 * mistake.entropy_right);
  EXPECT_LT(mistake.gradient_wrong, 0.5 * mistake.gradient_right);
  for (const double sum : mistake.wrong.row_sums) EXPECT_NEAR(sum, 1, 1e-6);
}

TEST(WrongTranspose, ShapesDoNotMeetUnlessTheyHappenToBeEqual) {
  const WrongTranspose refused = wrong_transpose(RandomHead(5, 8, 8, Causal::kNone).input());
  EXPECT_EQ(refused.right.shape, (std::vector<int64_t>{1, 8, 5}));
  EXPECT_EQ(refused.wrong.shape, (std::vector<int64_t>{8, 5, 1}));
  EXPECT_NE(refused.wrong.error.find("[1, 5, 8] by [8, 5, 1]"), std::string::npos) << refused.wrong.error;
  EXPECT_FALSE(refused.largest_difference);

  const WrongTranspose runs = wrong_transpose(RandomHead(8, 8, 8, Causal::kNone).input());
  EXPECT_EQ(runs.wrong.error, "");
  EXPECT_GT(*runs.largest_difference, 1) << "it runs, and is wrong";
}

TEST(ZeroFill, ExpOfZeroLeaksToTheFuture) {
  const RandomHead head(4, 16, 16, Causal::kNone);
  const ZeroFill mistake = zero_fill(head.input());
  expect_right(mistake, head);
  // The first row: its own score and three zeros.
  double dot = 0;
  for (int64_t d = 0; d < 16; ++d) dot += double{head.q(0, 0, 0, d)} * double{head.k(0, 0, 0, d)};
  const double leak = 3 / (3 + std::exp(dot / 4));
  double first = 0;
  for (int64_t j = 1; j < 4; ++j) first += double{(*mistake.wrong.grid)(0, j)};
  EXPECT_NEAR(first, leak, 1e-6);
  EXPECT_GE(mistake.leak, leak - 1e-6);
  EXPECT_GT(mistake.mean_leak, 0);
  EXPECT_LE(mistake.mean_leak, mistake.leak);
  for (const double sum : mistake.wrong.row_sums) EXPECT_NEAR(sum, 1, 1e-6) << "sums do not give it away";
}

}  // namespace
}  // namespace limelight::lesson
