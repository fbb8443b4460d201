// The gradient of merging: what arrives at each part is the slope of the loss along that part's out and lse.
#include <gtest/gtest.h>

#include <vector>

#include "limelight/merge.h"
#include "tests/attention/compare.h"
#include "tests/attention/parts.h"
#include "tests/model/thrown.h"

namespace limelight::testing {
namespace {

constexpr std::array<int64_t, 4> kSizes{2, 3, 5, 7};

// loss = dout . out + dlse . lse
struct Loss {
  Tensor<float, 4> dout;
  Tensor<float, 3> dlse;

  explicit Loss(uint64_t seed) {
    Random random(seed);
    dout = random_tensor(kSizes, random);
    dlse = random_lse(kSizes, random, 1);
  }

  double operator()(const std::vector<ExactPart>& parts) const {
    const ExactPart whole = exact_merge(parts);
    double loss = 0;
    for (int64_t n = 0; n < dout.count(); ++n) loss += dout.data()[n] * whole.out[n];
    for (int64_t n = 0; n < dlse.count(); ++n) {
      if (std::isfinite(whole.lse[n])) loss += dlse.data()[n] * whole.lse[n];
    }
    return loss;
  }
};

std::vector<PartGradient> gradients(const Results& results, const Loss& loss) {
  const std::vector<AttentionPart> parts = parts_of(results);
  const AttentionResult whole = merge(parts);
  return merge_backward(parts, whole.out, whole.lse, loss.dout, loss.dlse.view());
}

// The loss's slope along one number, in double.
double slope(const Loss& loss, std::vector<ExactPart>& parts, double& number) {
  const double step = 1e-5, middle = number;
  number = middle + step;
  const double above = loss(parts);
  number = middle - step;
  const double below = loss(parts);
  number = middle;
  return (above - below) / (2 * step);
}

void expect_slopes(const Results& results, const Loss& loss) {
  const std::vector<PartGradient> found = gradients(results, loss);
  std::vector<ExactPart> parts = exact_parts(results);
  ASSERT_EQ(found.size(), results.size());
  for (size_t p = 0; p < parts.size(); ++p) {
    for (size_t n = 0; n < parts[p].out.size(); ++n) {
      ASSERT_NEAR(found[p].dout.data()[n], slope(loss, parts, parts[p].out[n]), 1e-6) << p << " out " << n;
    }
    for (size_t n = 0; n < parts[p].lse.size(); ++n) {
      if (!std::isfinite(parts[p].lse[n])) continue;
      ASSERT_NEAR(found[p].dlse.data()[n], slope(loss, parts, parts[p].lse[n]), 4e-6) << p << " lse " << n;
    }
  }
}

TEST(MergeGradient, IsTheSlopeOfTheLoss) {
  for (int64_t count = 1; count <= 4; ++count) expect_slopes(random_results(count, 20 + count), Loss(count));
}

TEST(MergeGradient, IsTheSlopeOfTheLossWhereSomePartsAreEmpty) {
  Results results = random_results(3, 30);
  for (size_t p = 0; p < 3; ++p) results[p].lse(0, 1, 2) = results[p].lse(1, 2, static_cast<int64_t>(p)) = -kInfinity;
  expect_slopes(results, Loss(5));
}

TEST(MergeGradient, OfAnEmptyPartIsZeroWhateverArrives) {
  Results results = random_results(2, 31);
  Loss loss(6);
  results[0].lse(0, 0, 0) = -kInfinity;                            // the other part is not
  results[0].lse(1, 1, 1) = results[1].lse(1, 1, 1) = -kInfinity;  // a row without keys
  results[0].out(0, 0, 0, 3) = results[0].out(1, 1, 1, 3) = kNaN;
  loss.dout(0, 0, 0, 0) = loss.dout(1, 1, 1, 0) = loss.dlse(1, 1, 1) = kNaN;
  const std::vector<PartGradient> found = gradients(results, loss);
  for (int64_t e = 0; e < kSizes[3]; ++e) {
    EXPECT_EQ(found[0].dout(0, 0, 0, e), 0);
    EXPECT_EQ(found[0].dout(1, 1, 1, e), 0);
    EXPECT_EQ(found[1].dout(1, 1, 1, e), 0);
  }
  EXPECT_EQ(found[0].dlse(0, 0, 0), 0);
  EXPECT_EQ(found[0].dlse(1, 1, 1), 0);
  EXPECT_EQ(found[1].dlse(1, 1, 1), 0);
  EXPECT_TRUE(std::isnan(found[1].dlse(0, 0, 0)));
}

TEST(MergeGradient, OfOnePartIsWhatArrives) {
  const Loss loss(7);
  const std::vector<PartGradient> found = gradients(random_results(1, 32), loss);
  EXPECT_TRUE(same_bits(found[0].dout, loss.dout));
  EXPECT_TRUE(same_bits(found[0].dlse, loss.dlse));
}

TEST(MergeGradient, OfSomePartsHasTheBitsItHasAmongAll) {
  const Loss loss(8);
  const Results results = random_results(3, 33);
  const std::vector<AttentionPart> parts = parts_of(results);
  const AttentionResult whole = merge(parts);
  const std::vector<PartGradient> all = gradients(results, loss);
  for (size_t p = 0; p < 3; ++p) {
    const auto alone =
        merge_backward(std::span(parts).subspan(p, 1), whole.out, whole.lse, loss.dout, loss.dlse.view());
    ASSERT_EQ(alone.size(), 1u);
    EXPECT_TRUE(same_bits(alone[0].dout, all[p].dout));
    EXPECT_TRUE(same_bits(alone[0].dlse, all[p].dlse));
  }
}

TEST(MergeGradient, WithoutDlseIsThatOfZeroDlse) {
  Loss loss(9);
  std::fill_n(loss.dlse.data(), loss.dlse.count(), 0.0f);
  const Results results = random_results(2, 34);
  const std::vector<AttentionPart> parts = parts_of(results);
  const AttentionResult whole = merge(parts);
  const auto without = merge_backward(parts, whole.out, whole.lse, loss.dout);
  const auto with = gradients(results, loss);
  for (size_t p = 0; p < 2; ++p) {
    EXPECT_TRUE(same_bits(without[p].dout, with[p].dout));
    EXPECT_TRUE(same_bits(without[p].dlse, with[p].dlse));
  }
}

TEST(MergeGradient, ArgumentsThatDoNotFitAreRefused) {
  const Loss loss(10);
  const Results results = random_results(2, 35);
  const std::vector<AttentionPart> parts = parts_of(results);
  const AttentionResult whole = merge(parts);
  using Lse = TensorView<const float, 3>;
  const Lse lse = whole.lse, dlse = loss.dlse;
  const auto refusal = [&](std::span<const AttentionPart> of, TensorView<const float, 4> out, Lse of_lse,
                           TensorView<const float, 4> dout, Lse of_dlse) {
    return thrown<std::invalid_argument>([&] { merge_backward(of, out, of_lse, dout, of_dlse); });
  };
  EXPECT_EQ(refusal({}, whole.out, lse, loss.dout, dlse), "[merge_backward] parts: expected at least one, found none");
  EXPECT_EQ(refusal(parts, slice(whole.out.view(), 0, 0, 1), lse, loss.dout, dlse),
            "[merge_backward] out: expected [2, 3, 5, 7], found [1, 3, 5, 7]");
  EXPECT_EQ(refusal(parts, whole.out, slice(lse, 1, 0, 2), loss.dout, dlse),
            "[merge_backward] lse: expected [2, 3, 5], found [2, 2, 5]");
  EXPECT_EQ(refusal(parts, whole.out, lse, slice(loss.dout.view(), 3, 0, 6), dlse),
            "[merge_backward] dout: expected [2, 3, 5, 7], found [2, 3, 5, 6]");
  EXPECT_EQ(refusal(parts, whole.out, lse, loss.dout, slice(dlse, 2, 0, 4)),
            "[merge_backward] dlse: expected [2, 3, 5], found [2, 3, 4]");
  EXPECT_EQ(refusal(parts, whole.out, lse, loss.dout, {nullptr, dlse.sizes, dlse.strides}),
            "[merge_backward] dlse: expected memory for [2, 3, 5], found a null pointer");
}

}  // namespace
}  // namespace limelight::testing
