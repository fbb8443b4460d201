// Views and owners: strides of every sign, alignment, sizes that cannot be.
#include "limelight/tensor.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <type_traits>

namespace limelight {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(Tensor, IsZeroAndAlignedAtFirst) {
  for (int64_t n : {1, 7, 4096}) {
    const Tensor<float, 2> t({3, n});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.data()) % 64, 0u);
    for (int64_t i = 0; i < t.count(); ++i) EXPECT_EQ(t.data()[i], 0);
  }
}

TEST(Tensor, LastAxisIsTheFastest) {
  Tensor<int64_t, 3> t({2, 3, 4});
  for (int64_t n = 0; n < t.count(); ++n) t.data()[n] = n;
  EXPECT_EQ(t(0, 0, 1), 1);
  EXPECT_EQ(t(0, 1, 0), 4);
  EXPECT_EQ(t(1, 0, 0), 12);
  EXPECT_EQ(t.view()(1, 2, 3), 23);
}

TEST(Tensor, CloneIsApart) {
  Tensor<float, 1> t({2});
  t(0) = 5;
  Tensor<float, 1> copy = t.clone();
  t(0) = 6;
  EXPECT_EQ(copy(0), 5);
  EXPECT_EQ(copy.sizes(), t.sizes());
}

TEST(Tensor, MovesAndDoesNotCopy) {
  static_assert(!std::is_copy_constructible_v<Tensor<float, 2>>);
  static_assert(std::is_nothrow_move_constructible_v<Tensor<float, 2>>);
  Tensor<float, 1> t({2});
  const float* memory = t.data();
  const Tensor<float, 1> moved = std::move(t);
  EXPECT_EQ(moved.data(), memory);
}

TEST(Tensor, EmptyAxesAreLegal) {
  const Tensor<float, 4> t({2, 0, 3, 4});
  EXPECT_EQ(t.count(), 0);
  EXPECT_EQ(t.clone().count(), 0);
  EXPECT_EQ((Tensor<float, 1>().count()), 0);
}

TEST(Tensor, SizesThatCannotBeAreRefusedByName) {
  const auto message = [](const std::array<int64_t, 2>& sizes) -> std::string {
    try {
      Tensor<float, 2> t(sizes);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({2, -1}).find("found [2, -1]"), std::string::npos);
  EXPECT_NE(message({kMost, 2}).find("[tensor] sizes"), std::string::npos);
  EXPECT_NE(message({int64_t{1} << 40, int64_t{1} << 40}).find("address space"), std::string::npos);
  EXPECT_NE(message({kMost / 4 + 1, 1}), "");
}

TEST(Tensor, MemoryThatIsNotThereIsBadAlloc) {
  EXPECT_THROW(allocate_aligned(std::numeric_limits<size_t>::max()), std::bad_alloc);
}

TEST(View, StridesMayBeZeroOrNegative) {
  const float numbers[] = {1, 2, 3, 4, 5, 6};
  const TensorView<const float, 2> reversed{numbers + 5, {2, 3}, {-3, -1}};
  EXPECT_EQ(reversed(0, 0), 6);
  EXPECT_EQ(reversed(1, 2), 1);
  const TensorView<const float, 2> broadcast{numbers, {4, 3}, {0, 2}};
  EXPECT_EQ(broadcast(3, 2), 5);
  EXPECT_EQ(broadcast.count(), 12);
}

TEST(View, ConvertsToAViewOfConst) {
  static_assert(std::is_trivially_copyable_v<TensorView<float, 4>>);
  static_assert(std::is_convertible_v<TensorView<float, 2>, TensorView<const float, 2>>);
  static_assert(!std::is_convertible_v<TensorView<const float, 2>, TensorView<float, 2>>);
  float x = 3;
  const TensorView<const float, 1> view = view_of(&x, std::array<int64_t, 1>{1});
  EXPECT_EQ(view(0), 3);
}

TEST(View, RowMajorStridesAreProductsOfTheSizesBehind) {
  EXPECT_EQ(row_major(std::array<int64_t, 4>{2, 3, 4, 5}), (std::array<int64_t, 4>{60, 20, 5, 1}));
  EXPECT_EQ(row_major(std::array<int64_t, 2>{7, 0}), (std::array<int64_t, 2>{0, 1}));
}

}  // namespace
}  // namespace limelight
