// The checks at the door: what passes, and the exact sentence of what does not.
#include "core/checks.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

#include "limelight/storage.h"
#include "tests/model/thrown.h"

namespace limelight::detail {
namespace {

template <class Check>
std::string refusal(const Check& check) {
  return testing::thrown<std::invalid_argument>(check);
}

constexpr const char* kTaken = "(nothing was thrown)";

TEST(Checks, ARangeHoldsBothItsEnds) {
  const auto range = [](int64_t value) { return refusal([&] { check_range("look", "top_k", value, 0, 5); }); };
  EXPECT_EQ(range(0), kTaken);
  EXPECT_EQ(range(5), kTaken);
  EXPECT_EQ(range(-1), "[look] top_k: expected 0 to 5, found -1");
  EXPECT_EQ(range(std::numeric_limits<int64_t>::max()), "[look] top_k: expected 0 to 5, found 9223372036854775807");
}

TEST(Checks, SizesAreEqualOrAnySize) {
  using Sizes = std::array<int64_t, 2>;
  const auto sizes = [](Sizes expected, Sizes found) {
    return refusal([&] { check_sizes("linear", "x", expected, found); });
  };
  EXPECT_EQ(sizes({3, 4}, {3, 4}), kTaken);
  EXPECT_EQ(sizes({-1, 4}, {0, 4}), kTaken);
  EXPECT_EQ(sizes({3, 4}, {4, 3}), "[linear] x: expected [3, 4], found [4, 3]");
  EXPECT_EQ(sizes({-1, 4}, {-1, 4}), "[linear] x: expected [any, 4], found [-1, 4]");
  const std::array<int64_t, 1> one{3};
  EXPECT_EQ(refusal([&] { check_sizes("linear", "x", one, Sizes{3, 4}); }), "[linear] x: expected [3], found [3, 4]");
}

TEST(Checks, AViewWithElementsHasMemory) {
  const auto view = [](const auto& of) { return refusal([&] { check_view("attention", "q", of); }); };
  const int64_t huge = std::numeric_limits<int64_t>::max();
  float x = 0;
  EXPECT_EQ(view(TensorView<float, 2>{&x, {1, 1}, {1, 1}}), kTaken);
  EXPECT_EQ(view(TensorView<float, 2>{nullptr, {0, 7}, {7, 1}}), kTaken);
  EXPECT_EQ(view(TensorView<float, 2>{nullptr, {1, 7}, {7, 1}}),
            "[attention] q: expected memory for [1, 7], found a null pointer");
  EXPECT_EQ(view(TensorView<const int64_t, 1>{nullptr, {-1}, {1}}),
            "[attention] q: expected sizes of at least 0, found [-1]");
  EXPECT_EQ(view(FloatView(nullptr, Storage::kBf16, {2, 1, 1, huge}, {})),
            "[attention] q: expected memory for [2, 1, 1, 9223372036854775807], found a null pointer");
  EXPECT_EQ(view(FloatOutput(nullptr, Storage::kF16, {1, 1, -2, 0}, {})),
            "[attention] q: expected sizes of at least 0, found [1, 1, -2, 0]");
}

TEST(Checks, AViewOfGivenSizesHasThem) {
  const std::array<int64_t, 1> expected{2};
  float x[3] = {};
  const auto view = [&](int64_t size) {
    return refusal([&] { check_view("merge", "lse", TensorView<float, 1>{x, {size}, {1}}, expected); });
  };
  EXPECT_EQ(view(2), kTaken);
  EXPECT_EQ(view(3), "[merge] lse: expected [2], found [3]");
}

}  // namespace
}  // namespace limelight::detail
