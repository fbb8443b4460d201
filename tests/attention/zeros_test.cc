// The sign of a zero: where a sum underflows it is that of its last terms, which may be masked.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/attention/compare_gradients.h"

namespace limelight::testing {
namespace {

// Scores by bias alone. Tile 0 leaves a small negative sum, whose factor underflows in tile 1; in tile 2 a product
// underflows, and a masked key follows.
Problem underflowing(int64_t rows) {
  Problem p = make_problem({.M = rows, .N = 1030, .D = 4, .E = 1});
  p.scale = 0;
  p.bias = Tensor<float, 4>({1, 1, 1, 1030});
  std::fill_n(p.bias->data(), 1030, -kInfinity);
  std::fill_n(p.v.data(), 1030, 0.0f);
  const auto key = [&](int64_t j, float score, float value) { p.bias->data()[j] = score, p.v.data()[j] = value; };
  key(0, 0, -1e-30f);
  key(512, 46, 0);
  key(1024, 46, 0);
  key(1025, 46 - 80, -1e-10f);
  return p;
}

TEST(Zeros, MaskedValuesCannotBeObservedByTheirSign) {
  for (const int64_t rows : {1, 2, 9, 40}) {
    Problem p = underflowing(rows);
    under_every_isa([&] {
      for (const float hidden : {0.0f, -0.0f, 1.0f, -1.0f, kNaN}) {
        for (const int64_t j : {1, 700, 1023, 1026}) p.v(0, 0, j, 0) = hidden;
        EXPECT_TRUE(same_bits(p.attend().out, Tensor<float, 4>({1, 1, rows, 1}))) << rows << " rows, " << hidden;
      }
    });
  }
}

TEST(Zeros, OfValuesComeOutPositive) {
  for (const int64_t rows : {1, 9}) {
    Problem p = make_problem({.M = rows, .N = 70, .D = 4, .E = 4});
    std::fill_n(p.v.data(), p.v.count(), -0.0f);
    under_every_isa([&] { EXPECT_TRUE(same_bits(p.attend().out, Tensor<float, 4>({1, 1, rows, 4}))); });
  }
}

// dS k underflows for both keys that are seen.
TEST(Zeros, GradientsCannotTellMaskedKeysByTheirSign) {
  Problem p = make_problem({.M = 1, .N = 4, .D = 1, .E = 1});
  p.scale = 1;
  p.mask = Tensor<uint8_t, 4>({1, 1, 1, 4});
  (*p.mask)(0, 0, 0, 0) = (*p.mask)(0, 0, 0, 1) = 1;
  p.k(0, 0, 0, 0) = 1e-30f, p.k(0, 0, 1, 0) = -1e-30f;
  p.v(0, 0, 0, 0) = -1e-20f, p.v(0, 0, 1, 0) = 1e-20f;
  p.q(0, 0, 0, 0) = 1e-30f;
  Tensor<float, 4> dout({1, 1, 1, 1});
  dout(0, 0, 0, 0) = 1;
  under_every_isa([&] {
    for (const float hidden : {0.0f, -0.0f, 1.0f, -1.0f, kNaN}) {
      p.k(0, 0, 2, 0) = p.k(0, 0, 3, 0) = p.v(0, 0, 2, 0) = p.v(0, 0, 3, 0) = hidden;
      const Gradients found = gradients(p, dout);
      EXPECT_TRUE(same_bits(found.dq, Tensor<float, 4>({1, 1, 1, 1}))) << hidden;
      EXPECT_TRUE(same_bits(found.dk, Tensor<float, 4>({1, 1, 4, 1}))) << hidden;
    }
  });
}

}  // namespace
}  // namespace limelight::testing
