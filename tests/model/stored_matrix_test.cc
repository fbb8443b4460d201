// Laws of stored matrices: as a linear layer on the same weights in floats, bit for bit.
#include "model/stored_matrix.h"

#include <gtest/gtest.h>

#include <limits>

#include "kernels/kernels.h"
#include "limelight/error.h"
#include "limelight/nn.h"
#include "tests/model/random_weights.h"
#include "tests/model/thrown.h"
#include "tests/nn/matrices.h"

namespace limelight::testing {
namespace {

Tensor<float, 2> product(const detail::StoredMatrix& w, TensorView<const float, 2> x, const Run& run = {},
                         const float* bias = nullptr) {
  Tensor<float, 2> y({x.sizes[0], w.out()});
  multiply(w, x, bias, y, run);
  return y;
}

Tensor<float, 2> expected_product(const RandomWeights& weights, TensorView<const float, 2> x,
                                  std::optional<TensorView<const float, 1>> bias = std::nullopt) {
  Tensor<float, 2> y({x.sizes[0], weights.out});
  Linear(weights.floats(), bias).forward(x, y);
  return y;
}

// Sizes that end inside a panel and, for the small blocks, inside a tile.
int64_t usual_depth(WeightType type) {
  return weight_block(type).weights == 256 ? 512 : weight_block(type).weights == 32 ? 96 : 67;
}

TEST(StoredMatrix, SameBitsAsALinearLayerForEveryType) {
  for (const WeightType type : kAllTypes) {
    SCOPED_TRACE(std::string(weight_type_name(type)));
    const RandomWeights weights(type, 131, usual_depth(type), 1);
    const auto x = random_matrix(33, weights.in, 2);
    const auto bias = random_vector(weights.out, 3);
    under_every_isa([&] {
      const auto w = weights.stored();
      for (const int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 12, 33}) {
        const TensorView<const float, 2> some{x.data(), {rows, weights.in}, {weights.in, 1}};
        expect_same_bits(product(w, some), expected_product(weights, some));
        expect_same_bits(product(w, some, {}, bias.data()), expected_product(weights, some, bias.view()));
      }
    });
  }
}

TEST(StoredMatrix, SameBitsWhereTheDepthTakesSeveralTiles) {
  for (const WeightType type : kAllTypes) {
    SCOPED_TRACE(std::string(weight_type_name(type)));
    const int64_t block = weight_block(type).weights;
    const RandomWeights weights(type, 5, (2500 + block - 1) / block * block, 1);
    const auto x = random_matrix(14, weights.in, 2);
    under_every_isa([&] { expect_same_bits(product(weights.stored(), x), expected_product(weights, x)); });
  }
}

TEST(StoredMatrix, SameBitsForAnyThreadCount) {
  const RandomWeights weights(WeightType::kQ4_1, 700, 320, 1);
  const auto w = weights.stored();
  for (const int64_t rows : {1, 5, 300}) {
    const auto x = random_matrix(rows, weights.in, 2);
    const auto expected = product(w, x, {.threads = 1});
    for (const int threads : {0, 2, 3, 7}) expect_same_bits(product(w, x, {.threads = threads}), expected);
  }
}

TEST(StoredMatrix, WholeGroupsOfRowsMayMakeFewerTasks) {
  const RandomWeights weights(WeightType::kQ8_0, 9, 32, 1);
  for (const int64_t rows : {2001, 4097}) {
    const auto x = random_matrix(rows, weights.in, 2);
    under_every_isa([&] { expect_same_bits(product(weights.stored(), x), expected_product(weights, x)); });
  }
}

TEST(StoredMatrix, SameBitsForARowAloneAndAmongOthers) {
  const RandomWeights weights(WeightType::kQ8_0, 150, 64, 1);
  const auto x = random_matrix(600, weights.in, 2);
  under_every_isa([&] {
    const auto w = weights.stored();
    const auto all = product(w, x);
    for (const int64_t t : {0, 1, 255, 256, 300, 599}) {
      expect_same_bits(product(w, {&x(t, 0), {1, weights.in}, {weights.in, 1}}),
                       {&all(t, 0), {1, weights.out}, {weights.out, 1}});
    }
  });
}

TEST(StoredMatrix, RowIsTheRowThatWasStored) {
  for (const WeightType type : kAllTypes) {
    const RandomWeights weights(type, 70, usual_depth(type), 1);
    const auto floats = weights.floats();
    under_every_isa([&] {
      const auto w = weights.stored();
      std::vector<float> row(static_cast<size_t>(weights.in));
      for (const int64_t n : {0, 1, 63, 64, 69}) {
        w.read_row(n, row.data());
        for (int64_t k = 0; k < weights.in; ++k) ASSERT_EQ(row[static_cast<size_t>(k)], floats(n, k)) << n << " " << k;
      }
    });
  }
}

TEST(StoredMatrix, PartsStandBelowEachOther) {
  const RandomWeights a(WeightType::kQ4_0, 40, 64, 1), b(WeightType::kQ4_0, 100, 64, 2);
  const detail::StoredRows parts[] = {a.rows(), b.rows()};
  const detail::StoredMatrix both(parts, 64, WeightType::kQ4_0, refuse_weight);
  const auto x = random_matrix(9, 64, 3);
  const auto y = product(both, x);
  expect_same_bits({y.data(), {9, 40}, {140, 1}}, product(a.stored(), x));
  expect_same_bits({&y(0, 40), {9, 100}, {140, 1}}, product(b.stored(), x));
}

TEST(StoredMatrix, FloatsMayBeStoredTransposed) {
  const auto weight = random_matrix(20, 33, 1);  // [in, out]
  const detail::StoredRows columns{reinterpret_cast<const std::byte*>(weight.data()), 33, 4, 33 * 4};
  const detail::StoredMatrix w({&columns, 1}, 20, WeightType::kF32, refuse_weight);
  const auto x = random_matrix(7, 20, 2);
  Tensor<float, 2> expected({7, 33});
  Linear(TensorView<const float, 2>{weight.data(), {33, 20}, {1, 33}}).forward(x, expected);
  expect_same_bits(product(w, x), expected);
}

TEST(StoredMatrix, BytesNeedNoAlignment) {
  const RandomWeights weights(WeightType::kQ5_1, 30, 64, 1);
  std::vector<std::byte> shifted(1);
  shifted.insert(shifted.end(), weights.bytes.begin(), weights.bytes.end());
  const detail::StoredRows part{shifted.data() + 1, 30};
  const auto x = random_matrix(2, 64, 2);
  expect_same_bits(product(detail::StoredMatrix({&part, 1}, 64, WeightType::kQ5_1, refuse_weight), x),
                   product(weights.stored(), x));
}

TEST(StoredMatrix, KeepsTheInstructionSetItWasPackedFor) {
  const RandomWeights weights(WeightType::kQ4_1, 100, 64, 1);
  const auto x = random_matrix(9, 64, 2);
  under_every_isa([&] {
    const auto w = weights.stored();
    const auto expected = product(w, x);
    under_every_isa([&] { expect_same_bits(product(w, x), expected); });
  });
}

TEST(StoredMatrix, NanInAnActivationStaysInItsRow) {
  const RandomWeights weights(WeightType::kQ4_1, 100, 64, 1);
  auto x = random_matrix(5, 64, 2);
  const auto w = weights.stored();
  const auto clean = product(w, x);
  x(2, 7) = std::numeric_limits<float>::quiet_NaN();
  const auto y = product(w, x);
  for (int64_t n = 0; n < 100; ++n) {
    EXPECT_TRUE(std::isnan(y(2, n)));
    EXPECT_EQ(y(1, n), clean(1, n));
    EXPECT_EQ(y(3, n), clean(3, n));
  }
}

TEST(StoredMatrix, EmptySizesGiveTheBiasOrNothing) {
  const RandomWeights none(WeightType::kQ8_0, 0, 32, 1), shallow(WeightType::kQ8_0, 3, 0, 1);
  EXPECT_EQ(product(none.stored(), random_matrix(2, 32, 1)).count(), 0);
  EXPECT_EQ(product(shallow.stored(), random_matrix(0, 0, 1)).count(), 0);
  const float bias[] = {1, 2, 3};
  for (const int64_t rows : {1, 20}) {
    const auto y = product(shallow.stored(), Tensor<float, 2>({rows, 0}), {}, bias);
    for (int64_t t = 0; t < rows; ++t) EXPECT_EQ(y(t, 2), 3.0f);
  }
}

TEST(StoredMatrix, TouchesNothingBehindItsArguments) {
  const RandomWeights weights(WeightType::kQ4_1, 67, 96, 1);
  for (const int64_t rows : {1, 7}) {
    const GuardedFloats x(random_matrix(rows, 96, 1)), y(rows * 67), bias(random_vector(67, 3));
    under_every_isa([&] {
      multiply(weights.stored(), {x.data(), {rows, 96}, {96, 1}}, bias.data(), {y.data(), {rows, 67}, {67, 1}}, {});
    });
    EXPECT_TRUE(std::isfinite(y.data()[rows * 67 - 1]));
  }
}

TEST(StoredMatrix, WeightsThatAreNotFiniteAreToldWithTheirPlace) {
  auto weights = random_matrix(90, 40, 1);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    weights(71, 39) = weights(71, 5) = bad;
    const detail::StoredRows part{reinterpret_cast<const std::byte*>(weights.data()), 90};
    under_every_isa([&] {
      std::vector<std::string> told;
      const auto tell = [&](int64_t n, int64_t k, float found) {
        told.push_back(std::to_string(n) + " " + std::to_string(k) + (std::isnan(found) ? " nan" : " inf"));
      };
      detail::StoredMatrix({&part, 1}, 40, WeightType::kF32, tell, {.threads = 1});
      EXPECT_EQ(told, std::vector<std::string>{std::isnan(bad) ? "71 5 nan" : "71 5 inf"});
    });
  }
}

TEST(StoredMatrix, RefusesWhatDoesNotFit) {
  const RandomWeights weights(WeightType::kQ4_1, 6, 64, 1);
  const auto w = weights.stored();
  const auto x = random_matrix(3, 64, 2);
  Tensor<float, 2> y({3, 6});
  const detail::StoredRows part = weights.rows();
  expect_refused(
      [&] {
        detail::StoredMatrix({&part, 1}, 33, WeightType::kQ4_1, refuse_weight);
      },
      "[stored_matrix] in: expected a multiple of 32, found 33");
  expect_refused([&] { multiply(w, random_matrix(3, 63, 1), nullptr, y, {}); },
                 "[stored_matrix] x: expected [any, 64], found [3, 63]");
  expect_refused([&] { multiply(w, random_matrix(2, 64, 1), nullptr, y, {}); },
                 "[stored_matrix] y: expected [2, 6], found [3, 6]");
  expect_refused([&] { multiply(w, x, nullptr, y, {.threads = -1}); }, "[run] threads: expected 0 or more, found -1");
}

TEST(StoredMatrix, CanBeCancelledAndThenUsedAgain) {
  const RandomWeights weights(WeightType::kQ4_1, 500, 512, 1);
  const auto w = weights.stored();
  const auto x = random_matrix(40, 512, 2);
  EXPECT_THROW(product(w, x, {.progress = [](double) { return false; }}), Cancelled);
  expect_same_bits(product(w, x, {.threads = 2}), product(w, x, {.threads = 1}));
}

}  // namespace
}  // namespace limelight::testing
