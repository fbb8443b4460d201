// Bits compared with bits: what results that may not depend on threads, strides or the batch are tested by.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "limelight/tensor.h"

namespace limelight::testing {

// The same sizes and the same bits; says where the first difference is, counted with the last axis fastest.
template <class T, int Rank>
::testing::AssertionResult same_bits(const TensorView<const T, Rank>& a, const TensorView<const T, Rank>& b) {
  if (a.sizes != b.sizes) return ::testing::AssertionFailure() << "sizes differ";
  for (int64_t n = 0; n < a.count(); ++n) {
    const T *x = a.data, *y = b.data;
    int64_t rest = n;
    for (size_t axis = Rank; axis-- > 0; rest /= a.sizes[axis]) {
      x += rest % a.sizes[axis] * a.strides[axis];
      y += rest % a.sizes[axis] * b.strides[axis];
    }
    if (std::memcmp(x, y, sizeof(T)) == 0) continue;
    return ::testing::AssertionFailure() << "element " << n << " of " << a.count() << ": " << +*x << " and " << +*y;
  }
  return ::testing::AssertionSuccess();
}

template <class T, int Rank>
::testing::AssertionResult same_bits(const Tensor<T, Rank>& a, const Tensor<T, Rank>& b) {
  return same_bits(a.view(), b.view());
}

}  // namespace limelight::testing
