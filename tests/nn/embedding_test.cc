// Laws of the embedding.
#include "limelight/nn.h"
#include "tests/nn/matrices.h"

namespace limelight {
namespace {

using namespace limelight::testing;

TEST(Embedding, AddsTheRowOfEachId) {
  for (const int64_t channels : kSizes) {
    const auto table = random_matrix(7, channels, 1);
    const auto before = random_matrix(4, channels, 2);
    const std::vector<int32_t> ids = {6, 0, 3, 3};
    auto y = before.clone();
    add_embedding(table, ids, y);
    for (int64_t t = 0; t < 4; ++t) {
      for (int64_t c = 0; c < channels; ++c) EXPECT_EQ(y(t, c), before(t, c) + table(ids[t], c));
    }
  }
}

TEST(Embedding, RowStridesAreFollowed) {
  const auto table = random_matrix(3, 10, 1);
  const std::vector<int32_t> ids = {2, 0};
  Tensor<float, 2> wide({2, 9}), plain({2, 5});
  const TensorView<const float, 2> narrow{&table(2, 4), {3, 5}, {-10, 1}};
  add_embedding(narrow, ids, {&wide(0, 1), {2, 5}, {9, 1}});
  add_embedding(narrow, ids, plain);
  expect_same_bits({&wide(0, 1), {2, 5}, {9, 1}}, plain);
  for (int64_t c = 0; c < 5; ++c) EXPECT_EQ(plain(0, c), table(0, 4 + c));
  for (int64_t t = 0; t < 2; ++t) EXPECT_EQ(wide(t, 6), 0) << "written behind a row";
}

TEST(Embedding, RefusesTheFirstIdOutsideAndTouchesNothing) {
  const auto table = random_matrix(3, 4, 1);
  Tensor<float, 2> y({3, 4});
  const auto with = [&](std::vector<int32_t> ids) { return [&, ids] { add_embedding(table, ids, y); }; };
  expect_refused(with({1, 3, -1}), "[add_embedding] ids[1]: expected in [0, 3), found 3");
  expect_refused(with({1, 2, -1}), "[add_embedding] ids[2]: expected in [0, 3), found -1");
  expect_refused(with({std::numeric_limits<int32_t>::max(), 0, 0}),
                 "[add_embedding] ids[0]: expected in [0, 3), found 2147483647");
  for (int64_t i = 0; i < y.count(); ++i) EXPECT_EQ(y.data()[i], 0);
}

TEST(Embedding, RefusesWhatDoesNotFit) {
  const auto table = random_matrix(3, 4, 1);
  Tensor<float, 2> y({2, 4});
  const std::vector<int32_t> ids = {0, 1, 2};
  expect_refused([&] { add_embedding(table, ids, y); }, "[add_embedding] y: expected [3, 4], found [2, 4]");
  expect_refused(
      [&] {
        add_embedding({table.data(), {3, 2}, {4, 2}}, ids, y);
      },
      "[add_embedding] table: expected a last axis of stride 1, found strides [4, 2]");
  add_embedding(table, {}, Tensor<float, 2>({0, 4}));
}

}  // namespace
}  // namespace limelight
