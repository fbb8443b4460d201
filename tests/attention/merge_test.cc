// Merging results over parts of the keys, by (out, lse), gives the result over all of them.
#include "limelight/merge.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/attention/compare.h"
#include "tests/attention/layout.h"
#include "tests/attention/parts.h"
#include "tests/model/thrown.h"

namespace limelight::testing {
namespace {

constexpr std::array<int64_t, 4> kSizes{2, 3, 5, 7};

AttentionResult merged(const Results& results) {
  return merge(parts_of(results));
}

// 2 ulp of the largest number that goes in: outputs for out, maximum and log of the sum for lse.
void expect_exact_to_rounding(const Results& results, const AttentionResult& whole) {
  const ExactPart exact = exact_merge(exact_parts(results));
  double largest_out = 0, largest_lse = std::log(static_cast<double>(results.size()));
  for (const AttentionResult& r : results) {
    for (int64_t n = 0; n < r.out.count(); ++n) largest_out = std::max(largest_out, std::abs(double{r.out.data()[n]}));
    for (int64_t n = 0; n < r.lse.count(); ++n) {
      if (std::isfinite(r.lse.data()[n])) largest_lse = std::max(largest_lse, std::abs(double{r.lse.data()[n]}));
    }
  }
  for (int64_t n = 0; n < whole.out.count(); ++n) {
    ASSERT_LE(difference(whole.out.data()[n], exact.out[n]), 2 * ulp(largest_out)) << "out " << n;
  }
  for (int64_t n = 0; n < whole.lse.count(); ++n) {
    ASSERT_LE(difference(whole.lse.data()[n], exact.lse[n]), 2 * ulp(largest_lse)) << "lse " << n;
  }
}

TEST(Merge, IsTheWeightedSumOfThePartsToRounding) {
  for (const float spread : {0.0f, 1.0f, 20.0f, 1e6f}) {
    for (int64_t count = 1; count <= 6; ++count) {
      SCOPED_TRACE(std::to_string(count) + " parts, spread " + std::to_string(spread));
      const Results results = random_results(count, 10 + count, {2, 3, 40, 7}, spread);
      expect_exact_to_rounding(results, merged(results));
    }
  }
}

TEST(Merge, SomeRowsOfSomePartsMayBeEmpty) {
  Results results = random_results(4, 2, {2, 3, 40, 7});
  Random random(3);
  for (AttentionResult& r : results) {
    for (int64_t n = 0; n < r.lse.count(); ++n) {
      if (random() % 2 == 0) r.lse.data()[n] = -kInfinity;
    }
  }
  expect_exact_to_rounding(results, merged(results));
}

TEST(Merge, EmptyPartChangesNoBitAndItsOutputIsNotObserved) {
  const Results results = random_results(3, 1);
  const AttentionResult whole = merged(results);
  for (const float hidden : {0.0f, kNaN, kInfinity}) {
    for (size_t place = 0; place <= results.size(); ++place) {
      std::vector<AttentionPart> parts = parts_of(results);
      const AttentionResult empty = empty_result(kSizes, hidden);
      parts.insert(parts.begin() + static_cast<int64_t>(place), {empty.out, empty.lse});
      EXPECT_TRUE(same_bits(merge(parts), whole)) << hidden << " at " << place;
    }
  }
}

TEST(Merge, OfEmptyPartsIsEmpty) {
  Results results;
  for (const float hidden : {0.0f, kNaN}) results.push_back(empty_result(kSizes, hidden));
  EXPECT_TRUE(same_bits(merged(results), empty_result(kSizes)));
}

TEST(Merge, OfOnePartIsThatPart) {
  const Results results = random_results(1, 4);
  EXPECT_TRUE(same_bits(merged(results), results[0]));
}

TEST(Merge, NaNStaysInItsRow) {
  Results results = random_results(3, 5);
  const AttentionResult clean = merged(results);
  results[1].out(1, 2, 3, 4) = kNaN;
  results[2].lse(0, 1, 2) = kNaN;
  AttentionResult whole = merged(results);
  EXPECT_TRUE(std::isnan(whole.out(1, 2, 3, 4)));
  EXPECT_TRUE(std::isnan(whole.lse(0, 1, 2)));
  whole.out(1, 2, 3, 4) = clean.out(1, 2, 3, 4);
  whole.lse(0, 1, 2) = clean.lse(0, 1, 2);
  for (int64_t e = 0; e < kSizes[3]; ++e) {
    EXPECT_TRUE(std::isnan(whole.out(0, 1, 2, e)));
    whole.out(0, 1, 2, e) = clean.out(0, 1, 2, e);
  }
  EXPECT_TRUE(same_bits(whole, clean));
}

// Also where every other part is empty, and whichever comes first.
TEST(Merge, NaNIsNotTakenForAnEmptyPart) {
  for (const size_t place : {0, 1, 2}) {
    Results results;
    for (int p = 0; p < 3; ++p) results.push_back(empty_result(kSizes));
    results[place].lse(0, 0, 0) = kNaN;
    const AttentionResult whole = merged(results);
    EXPECT_TRUE(std::isnan(whole.lse(0, 0, 0)));
    EXPECT_TRUE(std::isnan(whole.out(0, 0, 0, 6)));
    EXPECT_EQ(whole.lse(0, 0, 1), -kInfinity);
    EXPECT_EQ(whole.out(0, 0, 1, 0), 0);
  }
}

TEST(Merge, LargestAndLowestFiniteLseAreNumbersLikeOthers) {
  Results results = random_results(2, 6);
  const float most = std::numeric_limits<float>::max();
  results[0].lse(0, 0, 0) = most, results[1].lse(0, 0, 0) = -most;
  results[0].lse(0, 0, 1) = -most, results[1].lse(0, 0, 1) = -most;
  results[0].lse(0, 0, 2) = -most, results[1].lse(0, 0, 2) = -kInfinity;
  const AttentionResult whole = merged(results);
  for (int64_t e = 0; e < kSizes[3]; ++e) {
    EXPECT_EQ(whole.out(0, 0, 0, e), results[0].out(0, 0, 0, e));
    EXPECT_EQ(whole.out(0, 0, 1, e), 0.5f * results[0].out(0, 0, 1, e) + 0.5f * results[1].out(0, 0, 1, e));
    EXPECT_EQ(whole.out(0, 0, 2, e), results[0].out(0, 0, 2, e));
  }
  EXPECT_EQ(whole.lse(0, 0, 0), most);
  EXPECT_EQ(whole.lse(0, 0, 1), -most);
  EXPECT_EQ(whole.lse(0, 0, 2), -most);
}

TEST(Merge, OrderAndGroupingOfPartsChangeRoundingOnly) {
  const Results results = random_results(3, 7);
  for (const auto& order : std::vector<std::array<size_t, 3>>{{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    std::vector<AttentionPart> parts;
    for (const size_t p : order) parts.push_back({results[p].out, results[p].lse});
    expect_exact_to_rounding(results, merge(parts));
    const AttentionResult pair = merge(std::span(parts).first(2));
    const AttentionPart grouped[] = {{pair.out, pair.lse}, parts[2]};
    expect_exact_to_rounding(results, merge(grouped));
  }
}

TEST(Merge, SameBitsForAnyStrides) {
  const Results results = random_results(2, 8);
  const AttentionResult whole = merged(results);
  const auto lse_of = [](const auto& view) {  // [B, H, M, 1] without its last axis
    return TensorView<float, 3>{
        view.data, {view.sizes[0], view.sizes[1], view.sizes[2]}, {view.strides[0], view.strides[1], view.strides[2]}};
  };
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(layout.name);
    std::vector<Laid<float>> laid;
    for (const AttentionResult& r : results) {
      laid.emplace_back(layout, r.out, kNaN);
      Tensor<float, 4> lse({2, 3, 5, 1});
      std::copy_n(r.lse.data(), r.lse.count(), lse.data());
      laid.emplace_back(layout, lse, kNaN);
    }
    const AttentionPart parts[] = {{laid[0].view(), lse_of(laid[1].view())}, {laid[2].view(), lse_of(laid[3].view())}};
    const Laid<float> out(layout, kSizes, 77.0f), lse(layout, {2, 3, 5, 1}, 77.0f);
    merge(parts, out.view(), lse_of(lse.view()));
    EXPECT_TRUE(same_bits(copy_of(out.view()), whole.out));
    EXPECT_TRUE(same_bits(copy_of(lse_of(lse.view())), whole.lse));
    const auto untouched = std::count(out.memory().begin(), out.memory().end(), 77.0f);
    EXPECT_EQ(untouched, static_cast<int64_t>(out.memory().size()) - whole.out.count());
  }
}

TEST(Merge, InPlaceGivesTheSameBits) {
  Results results = random_results(3, 9);
  const AttentionResult whole = merged(results);
  for (size_t place = 0; place < 3; ++place) {
    Results copies;
    for (const AttentionResult& r : results) copies.push_back(clone(r));
    merge(parts_of(copies), copies[place].out, copies[place].lse);
    EXPECT_TRUE(same_bits(copies[place], whole)) << place;
  }
}

TEST(Merge, SizesOfZeroAreTaken) {
  for (const std::array<int64_t, 4>& sizes :
       {std::array<int64_t, 4>{0, 3, 5, 7}, {2, 0, 5, 7}, {2, 3, 0, 7}, {2, 3, 5, 0}}) {
    const Results results = random_results(2, 10, sizes);
    EXPECT_EQ(merged(results).out.sizes(), sizes);
  }
}

void expect_refused(std::span<const AttentionPart> parts, const std::string& message) {
  AttentionResult whole = empty_result(kSizes, 77);
  EXPECT_EQ(thrown<std::invalid_argument>([&] { merge(parts, whole.out, whole.lse); }), message);
  EXPECT_EQ(thrown<std::invalid_argument>([&] { merge(parts); }), message);
  EXPECT_TRUE(same_bits(whole, empty_result(kSizes, 77)));
}

TEST(Merge, PartsThatDoNotFitAreRefused) {
  const Results results = random_results(2, 11);
  expect_refused({}, "[merge] parts: expected at least one, found none");
  const auto spoiled = [&](const auto& spoil) {
    std::vector<AttentionPart> parts = parts_of(results);
    spoil(parts);
    return parts;
  };
  expect_refused(spoiled([](auto& parts) { parts[1].out.sizes[2] = 4; }),
                 "[merge] parts[1].out: expected [2, 3, 5, 7], found [2, 3, 4, 7]");
  expect_refused(spoiled([](auto& parts) { parts[1].lse.sizes[0] = 1; }),
                 "[merge] parts[1].lse: expected [2, 3, 5], found [1, 3, 5]");
  expect_refused(spoiled([](auto& parts) { parts[0].lse.sizes[1] = 4; }),
                 "[merge] parts[0].lse: expected [2, 3, 5], found [2, 4, 5]");
  expect_refused(spoiled([](auto& parts) { parts[0].out.sizes[3] = -7; }),
                 "[merge] parts[0].out: expected sizes of at least 0, found [2, 3, 5, -7]");
  expect_refused(spoiled([](auto& parts) { parts[1].out.data = nullptr; }),
                 "[merge] parts[1].out: expected memory for [2, 3, 5, 7], found a null pointer");
  expect_refused(spoiled([](auto& parts) { parts[0].lse.data = nullptr; }),
                 "[merge] parts[0].lse: expected memory for [2, 3, 5], found a null pointer");
}

TEST(Merge, OutputsThatDoNotFitAreRefused) {
  const Results results = random_results(2, 12);
  const std::vector<AttentionPart> parts = parts_of(results);
  AttentionResult whole = empty_result(kSizes, 77);
  const auto refusal = [&](TensorView<float, 4> out, TensorView<float, 3> lse) {
    return thrown<std::invalid_argument>([&] { merge(parts, out, lse); });
  };
  EXPECT_EQ(refusal(slice(whole.out.view(), 3, 0, 6), whole.lse),
            "[merge] out: expected [2, 3, 5, 7], found [2, 3, 5, 6]");
  EXPECT_EQ(refusal(whole.out, slice(whole.lse.view(), 0, 0, 1)), "[merge] lse: expected [2, 3, 5], found [1, 3, 5]");
  EXPECT_EQ(refusal({nullptr, kSizes, row_major(kSizes)}, whole.lse),
            "[merge] out: expected memory for [2, 3, 5, 7], found a null pointer");
  EXPECT_EQ(refusal(whole.out, {nullptr, {2, 3, 5}, {15, 5, 1}}),
            "[merge] lse: expected memory for [2, 3, 5], found a null pointer");
  EXPECT_TRUE(same_bits(whole, empty_result(kSizes, 77)));
}

}  // namespace
}  // namespace limelight::testing
