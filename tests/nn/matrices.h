// Matrices for the tests of the layers: random ones, ones that end at a page that cannot be touched, and their
// comparison.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "limelight/tensor.h"
#include "tests/kernels/under_every_isa.h"

namespace limelight::testing {

inline constexpr int64_t kSizes[] = {0, 1, 2, 3, 5, 63, 64, 65, 67, 384};

// Numbers in [-1, 1), the same in every run.
template <int Rank>
Tensor<float, Rank> random_tensor(const std::array<int64_t, Rank>& sizes, uint32_t seed) {
  Tensor<float, Rank> t(sizes);
  std::mt19937 bits(seed);
  for (int64_t i = 0; i < t.count(); ++i) t.data()[i] = static_cast<float>(bits() >> 8) * 0x1p-23f - 1.0f;
  return t;
}

inline Tensor<float, 2> random_matrix(int64_t rows, int64_t columns, uint32_t seed) {
  return random_tensor<2>({rows, columns}, seed);
}
inline Tensor<float, 1> random_vector(int64_t count, uint32_t seed) {
  return random_tensor<1>({count}, seed);
}

// Room for `count` floats whose last byte is followed by a page without access: one step further ends the program.
class GuardedFloats {
 public:
  explicit GuardedFloats(int64_t count) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t bytes = static_cast<size_t>(count) * sizeof(float);
    const size_t room = (bytes + page - 1) / page * page;
    size_ = room + page;
    void* p = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<std::byte*>(p);
    mprotect(base_ + room, page, PROT_NONE);
    data_ = reinterpret_cast<float*>(base_ + room - bytes);
  }
  template <int Rank>
  explicit GuardedFloats(const Tensor<float, Rank>& t) : GuardedFloats(t.count()) {
    std::copy_n(t.data(), t.count(), data_);
  }
  ~GuardedFloats() { munmap(base_, size_); }
  GuardedFloats(const GuardedFloats&) = delete;
  GuardedFloats& operator=(const GuardedFloats&) = delete;

  float* data() const { return data_; }

 private:
  std::byte* base_;
  size_t size_;
  float* data_;
};

inline void expect_same_bits(TensorView<const float, 2> found, TensorView<const float, 2> expected) {
  ASSERT_EQ(found.sizes, expected.sizes);
  for (int64_t t = 0; t < found.sizes[0]; ++t) {
    for (int64_t c = 0; c < found.sizes[1]; ++c) {
      ASSERT_EQ(std::bit_cast<uint32_t>(found(t, c)), std::bit_cast<uint32_t>(expected(t, c)))
          << "at " << t << ", " << c;
    }
  }
}

// Largest error at most twice that of the naive computation in float, plus 4 ulp of the largest value.
inline void expect_twice_naive(TensorView<const float, 2> found, TensorView<const float, 2> naive,
                               TensorView<const double, 2> exact) {
  ASSERT_EQ(found.sizes, exact.sizes);
  double error = 0, naive_error = 0, largest = 0;
  for (int64_t t = 0; t < found.sizes[0]; ++t) {
    for (int64_t c = 0; c < found.sizes[1]; ++c) {
      ASSERT_TRUE(std::isfinite(found(t, c))) << "at " << t << ", " << c;
      error = std::max(error, std::abs(found(t, c) - exact(t, c)));
      naive_error = std::max(naive_error, std::abs(naive(t, c) - exact(t, c)));
      largest = std::max(largest, std::abs(exact(t, c)));
    }
  }
  EXPECT_LE(error, 2 * naive_error + 4 * largest * std::numeric_limits<float>::epsilon());
}

// call() throws std::invalid_argument with exactly this message.
template <class Call>
void expect_refused(const Call& call, const std::string& message) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << message;
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), message);
  }
}

}  // namespace limelight::testing
