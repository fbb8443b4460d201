// A thread's scratch: pieces are aligned and disjoint, scopes nest, and a repeated scope gets the same memory.
#include "core/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace limelight::detail {
namespace {

TEST(Scratch, PiecesAreAlignedAndDisjoint) {
  Scratch scratch;
  std::vector<uint8_t*> pieces;
  const std::vector<int64_t> sizes{1, 63, 64, 65, 0, 100'000, 3, 1'000'000, 7};
  for (const int64_t size : sizes) pieces.push_back(scratch.take<uint8_t>(size));
  for (size_t n = 0; n < sizes.size(); ++n) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pieces[n]) % 64, 0u);
    std::fill_n(pieces[n], sizes[n], static_cast<uint8_t>(n));
  }
  for (size_t n = 0; n < sizes.size(); ++n) {
    EXPECT_EQ(std::count(pieces[n], pieces[n] + sizes[n], static_cast<uint8_t>(n)), sizes[n]) << n;
  }
}

TEST(Scratch, AnInnerScopeLeavesTheOuterAlone) {
  Scratch outer;
  int* kept = outer.take<int>(1000);
  std::fill_n(kept, 1000, 7);
  {
    Scratch inner;
    std::fill_n(inner.take<int>(500'000), 500'000, 9);
  }
  std::fill_n(outer.take<int>(1000), 1000, 8);
  EXPECT_EQ(std::count(kept, kept + 1000, 7), 1000);
}

TEST(Scratch, ARepeatedScopeGetsTheSameMemory) {
  const auto take = [] {
    Scratch scratch;
    scratch.take<float>(300'000);
    return scratch.take<float>(300'000);
  };
  std::jthread([&] {
    take();
    const float* second = take();
    EXPECT_EQ(take(), second);
    EXPECT_EQ(take(), second);
  }).join();
}

}  // namespace
}  // namespace limelight::detail
