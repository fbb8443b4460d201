// Laws of attend, fold and weigh, for every instruction set: each against a plain loop in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/rounding.h"
#include "tests/kernels/score_case.h"

namespace limelight::testing {
namespace {

using namespace detail;

// Scores of a few units are off by some 1e-6, their exp by that much of itself; sums are compared with the sum of the
// sizes of their terms.
constexpr double kTolerance = 1e-5;

// The state of rows and the values of a tile, with room beyond for whole vectors.
struct State {
  std::vector<float> max, sum, moment, out;
  int64_t columns = 0;

  State(const Kernels& kernels, int64_t rows, int64_t columns_wanted)
      : max(static_cast<size_t>(rows + kernels.lanes), kMinusInfinity),
        sum(max.size()),
        moment(max.size()),
        out(static_cast<size_t>(rows * round_up(columns_wanted, kernels.lanes))),
        columns(round_up(columns_wanted, kernels.lanes)) {}
  bool operator==(const State&) const = default;
};

AttendGroup group_of(const ScoreCase& c, State& state, const std::vector<float>& values) {
  AttendGroup group;
  group.score = c.group;
  group.values = values.data();
  group.value_stride = group.value_columns = state.columns;
  group.max = state.max.data();
  group.sum = state.sum.data();
  group.moment = state.moment.data();
  group.out = state.out.data();
  return group;
}

// One row of the same, in double; sizes are the sums of the sizes of the terms.
struct PlainRow {
  double max = kMinusInfinity, sum = 0, moment = 0, moment_size = 0;
  std::vector<double> out, out_size;

  // Adds the tiles of `cases`, each with its values.
  PlainRow(const std::vector<const ScoreCase*>& cases, const std::vector<std::vector<float>>& values, int64_t i,
           int64_t columns)
      : out(static_cast<size_t>(columns)), out_size(out) {
    for (const ScoreCase* c : cases) {
      for (int64_t j = 0; j < c->shape.keys; ++j) max = std::max(max, c->score(i, j));
    }
    for (size_t t = 0; t < cases.size(); ++t) {
      for (int64_t j = 0; j < cases[t]->shape.keys; ++j) {
        if (!cases[t]->masked(i, j)) add(*cases[t], i, j, &values[t][j * columns]);
      }
    }
  }

 private:
  void add(const ScoreCase& c, int64_t i, int64_t j, const float* values) {
    const double t = c.score(i, j) - max, weight = std::exp(t);
    sum += weight;
    moment += weight * t;
    moment_size += weight * (1 - t);
    for (size_t e = 0; e < out.size(); ++e) {
      out[e] += weight * c.keep(i, j) * values[e];
      out_size[e] += std::abs(weight * c.keep(i, j) * values[e]);
    }
  }
};

void expect_near(double found, double exact, double size) {
  EXPECT_NEAR(found, exact, kTolerance * size);
}

class AttendTest : public ::testing::TestWithParam<size_t> {
 protected:
  const Kernels& kernels() const { return all_kernels()[GetParam()]; }

  void expect_rows(const State& state, const std::vector<const ScoreCase*>& cases,
                   const std::vector<std::vector<float>>& values) const {
    for (int64_t i = 0; i < cases[0]->shape.rows; ++i) {
      const PlainRow row(cases, values, i, state.columns);
      if (row.sum == 0) {
        EXPECT_EQ(state.max[i], kMinusInfinity);
      } else {
        expect_near(state.max[i], row.max, 1 + std::abs(row.max));
      }
      expect_near(state.sum[i], row.sum, row.sum);
      expect_near(state.moment[i], row.moment, row.moment_size);
      for (int64_t e = 0; e < state.columns; ++e) {
        expect_near(state.out[i * state.columns + e], row.out[e], row.out_size[e]);
      }
    }
  }

  // Of the first tile and of a second one, whose maxima lie elsewhere.
  void expect_two_tiles(const ScoreShape& shape, int64_t value_size) const {
    SCOPED_TRACE(shape.text());
    const ScoreCase first(kernels(), shape, 1), second(kernels(), shape, 5);
    State state(kernels(), shape.rows, value_size);
    const std::vector<std::vector<float>> values{random_floats(shape.keys * state.columns, 3),
                                                 random_floats(shape.keys * state.columns, 4)};
    kernels().attend(group_of(first, state, values[0]));
    expect_rows(state, {&first}, values);
    kernels().attend(group_of(second, state, values[1]));
    expect_rows(state, {&first, &second}, values);
  }
};

TEST_P(AttendTest, StateOfEveryRowIsThatOfThePlainLoop) {
  int64_t value_size = 1;
  for (const ScoreShape& shape : score_shapes(kernels())) expect_two_tiles(shape, value_size += 13);
}

TEST_P(AttendTest, EveryNumberOfRowsIsDoneAlike) {
  for (int64_t rows = 1; rows <= kernels().row_group; ++rows) expect_two_tiles({rows, 39, 11, true}, 5);
}

// What is not asked for is not written, and changes no bit of the rest.
TEST_P(AttendTest, ScoresAreWantedWithOrWithoutTheRest) {
  const ScoreShape shape{kernels().row_group, 70, 9, false, 0, false, true};
  const ScoreCase c(kernels(), shape, 2);
  State all(kernels(), shape.rows, 8), bare = all;
  const std::vector<float> values = random_floats(shape.keys * all.columns, 3);
  kernels().attend(group_of(c, all, values));
  AttendGroup group = group_of(c, bare, values);
  group.values = nullptr, group.out = nullptr, group.moment = nullptr;
  kernels().attend(group);
  EXPECT_EQ(bare.max, all.max);
  EXPECT_EQ(bare.sum, all.sum);
  EXPECT_EQ(bare.out, State(kernels(), shape.rows, 8).out);
}

TEST_P(AttendTest, WeightsAreKeptWithTheMarkOfAMaskedKeyAndScoresAsTheyAre) {
  for (const ScoreShape& shape : score_shapes(kernels())) {
    SCOPED_TRACE(shape.text());
    const ScoreCase c(kernels(), shape, 7);
    State state(kernels(), shape.rows, 4);
    std::vector<float> weights(static_cast<size_t>(shape.rows * kScoreStride)), scores(weights.size());
    const std::vector<float> values = random_floats(shape.keys * state.columns, 3);
    AttendGroup group = group_of(c, state, values);
    group.weights = weights.data();
    group.scores = scores.data();
    kernels().attend(group);
    for (int64_t i = 0; i < shape.rows; ++i) {
      for (int64_t j = 0; j < kKeyTile; ++j) {
        const float weight = weights[i * kScoreStride + j];
        if (j >= shape.keys || c.masked(i, j)) {
          ASSERT_EQ(std::bit_cast<uint32_t>(weight), 0x80000000u) << i << " " << j;
          continue;
        }
        const double s = c.score(i, j);
        ASSERT_NEAR(scores[i * kScoreStride + j], s, kTolerance * (1 + std::abs(s))) << i << " " << j;
        ASSERT_NEAR(weight, std::exp(s - state.max[i]) * c.keep(i, j), 2 * kTolerance) << i << " " << j;
        ASSERT_FALSE(std::signbit(weight));
      }
    }
  }
}

TEST_P(AttendTest, StrongestKeysAreThoseOfASortedListLowestFirst) {
  const int64_t k = 7, first_key = 1000;
  const ScoreShape shape{kernels().row_group, 203, 1, true, 0.5f};  // a low cap makes equal scores
  const ScoreCase c(kernels(), shape, 3);
  const int64_t stride = round_up(k, kernels().lanes);
  std::vector<float> score(static_cast<size_t>(shape.rows * stride), kMinusInfinity), spare(k + 1);
  std::vector<int64_t> index(score.size(), -1), spare_index(k + 1);
  std::vector<float> scores(static_cast<size_t>(shape.rows * kScoreStride));
  State state(kernels(), shape.rows, 4);
  AttendGroup group = group_of(c, state, {});
  group.values = nullptr;
  group.scores = scores.data();
  group.top_k = k, group.top_stride = stride, group.first_key = first_key;
  group.top_score = score.data(), group.top_index = index.data();
  group.spare_score = spare.data(), group.spare_index = spare_index.data();
  kernels().attend(group);
  for (int64_t i = 0; i < shape.rows; ++i) {
    std::vector<int64_t> keys;
    for (int64_t j = 0; j < shape.keys; ++j) {
      if (!c.masked(i, j)) keys.push_back(j);
    }
    const float* s = &scores[i * kScoreStride];
    std::stable_sort(keys.begin(), keys.end(), [&](int64_t x, int64_t y) { return s[x] > s[y]; });
    for (int64_t r = 0; r < k; ++r) {
      const bool live = r < static_cast<int64_t>(keys.size());
      EXPECT_EQ(index[i * stride + r], live ? first_key + keys[r] : -1) << i << " " << r;
      EXPECT_EQ(score[i * stride + r], live ? s[keys[r]] : kMinusInfinity) << i << " " << r;
    }
  }
}

// The partial of a tile that attend leaves in an empty state, folded in, is what attend adds itself.
TEST_P(AttendTest, FoldAddsAPartialAsAttendAddsItsTileBitForBit) {
  for (const ScoreShape& shape : score_shapes(kernels())) {
    SCOPED_TRACE(shape.text());
    const ScoreCase first(kernels(), shape, 1), second(kernels(), shape, 5);
    State whole(kernels(), shape.rows, 21), folded = whole;
    const std::vector<float> values = random_floats(shape.keys * whole.columns, 3);
    for (const ScoreCase* c : {&first, &second}) {
      kernels().attend(group_of(*c, whole, values));
      State tile(kernels(), shape.rows, 21);
      kernels().attend(group_of(*c, tile, values));
      kernels().fold({shape.rows, whole.columns, tile.max.data(), tile.sum.data(), tile.moment.data(), tile.out.data(),
                      folded.max.data(), folded.sum.data(), folded.moment.data(), folded.out.data()});
    }
    EXPECT_EQ(folded, whole);
  }
}

// From any state: a row without keys, a sink that is a score already, a tile whose maximum is lower, equal or higher.
TEST_P(AttendTest, FoldIsThePlainSumOfTwoPartials) {
  const float maxima[] = {kMinusInfinity, -3, 0.5f, 0.5f, 20, 300};
  for (const float old_max : maxima) {
    for (const float tile_max : maxima) {
      SCOPED_TRACE(::testing::Message() << old_max << " and " << tile_max);
      State state(kernels(), 1, 19), tile = state;
      if (old_max != kMinusInfinity)
        state.sum[0] = 2.5f, state.moment[0] = -1, state.out = random_floats(state.columns, 1);
      if (tile_max != kMinusInfinity) tile.sum[0] = 7, tile.moment[0] = -4, tile.out = random_floats(state.columns, 2);
      state.max[0] = old_max, tile.max[0] = tile_max;
      const State before = state;
      kernels().fold({1, state.columns, tile.max.data(), tile.sum.data(), tile.moment.data(), tile.out.data(),
                      state.max.data(), state.sum.data(), state.moment.data(), state.out.data()});
      const double max = std::max(old_max, tile_max);
      EXPECT_EQ(state.max[0], static_cast<float>(max));
      if (max == kMinusInfinity) {
        EXPECT_EQ(state, before);
        continue;
      }
      const double a = std::exp(old_max - max), b = std::exp(tile_max - max);
      const auto shifted = [&](double sum, double moment, double from) {
        return from == kMinusInfinity ? 0 : moment + sum * (from - max);
      };
      expect_near(state.sum[0], before.sum[0] * a + tile.sum[0] * b, 10);
      expect_near(
          state.moment[0],
          a * shifted(before.sum[0], before.moment[0], old_max) + b * shifted(tile.sum[0], tile.moment[0], tile_max),
          10);
      for (int64_t e = 0; e < state.columns; ++e) expect_near(state.out[e], before.out[e] * a + tile.out[e] * b, 10);
    }
  }
}

TEST_P(AttendTest, WeighAddsUpTheWeightsOfEveryKey) {
  for (const ScoreShape& shape : score_shapes(kernels())) {
    SCOPED_TRACE(shape.text());
    const ScoreCase c(kernels(), shape, 4);
    std::vector<float> max = random_floats(shape.rows, 1), inverse_sum(max.size());
    for (int64_t i = 0; i < shape.rows; ++i) max[i] += 9, inverse_sum[i] = 0.5f / static_cast<float>(i + 1);
    const std::vector<float> before = random_floats(kKeyTile, 2);
    alignas(64) float received[kKeyTile], sum[kKeyTile], most[kKeyTile];
    for (float* to : {received, sum}) std::copy(before.begin(), before.end(), to);
    std::fill_n(most, kKeyTile, 0.001f);
    kernels().weigh({c.group, max.data(), inverse_sum.data(), received, sum, most});
    for (int64_t j = 0; j < kKeyTile; ++j) {
      double total = 0, largest = 0.001;
      for (int64_t i = 0; i < shape.rows && j < shape.keys; ++i) {
        const double weight = c.masked(i, j) ? 0 : std::exp(c.score(i, j) - max[i]) * inverse_sum[i];
        total += weight;
        largest = std::max(largest, weight);
      }
      ASSERT_NEAR(received[j], before[j] + total, kTolerance * (1 + total)) << j;
      ASSERT_EQ(sum[j], received[j]) << j;
      ASSERT_NEAR(most[j], largest, kTolerance * (1 + largest)) << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, AttendTest, ::testing::Range<size_t>(0, all_kernels().size()),
                         [](const auto& test) { return all_kernels()[test.param].isa; });

}  // namespace
}  // namespace limelight::testing
