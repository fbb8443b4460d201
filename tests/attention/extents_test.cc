// Sizes beyond every memory, which views of stride 0 or without elements may have, are refused by every call and never
// multiplied out; sequences may be as long as 32 bits count.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "limelight/merge.h"
#include "tests/attention/compare_gradients.h"

namespace limelight::testing {
namespace {

using Sizes = std::array<int64_t, 4>;

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

// A view of any sizes into one number.
FloatView one_number(const Sizes& sizes) {
  static const float number = 1;
  return {&number, Storage::kF32, sizes, {0, 0, 0, 0}};
}

void expect_refused(const Sizes& q, const Sizes& k, const Sizes& v, const AttentionOptions& options,
                    const std::string& field) {
  static float written = 0;
  const Sizes sizes{q[0], q[1], q[2], v[3]};
  const FloatOutput out{&written, Storage::kF32, sizes, {0, 0, 0, 0}};
  const TensorView<const float, 3> lse{&written, {q[0], q[1], q[2]}, {0, 0, 0}};
  const FloatView query = one_number(q), key = one_number(k), value = one_number(v);
  const std::function<void()> calls[] = {
      [&] { attention(query, key, value, options, out); },
      [&] { explain(query, key, value, options); },
      [&] { attention_and_look(query, key, value, options, {.top_k = 1}, out); },
      [&] { attention_backward(query, key, value, options, one_number(sizes), lse, one_number(sizes), {}); },
  };
  for (const auto& call : calls) {
    try {
      call();
      ADD_FAILURE() << "not refused: " << field;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("] " + field + ": expected"), std::string::npos) << error.what();
    }
  }
}

TEST(Extents, ASizeOfZeroDoesNotHideThatTheOthersHaveNoMemory) {
  constexpr int64_t kMuch = int64_t{1} << 61;
  for (const int64_t size : {kMuch, int64_t{1} << 53, int64_t{1} << 50}) {
    expect_refused({1, 1, 0, size}, {1, 1, 0, size}, {1, 1, 0, size}, {}, "q");
  }
  expect_refused({1, 1, 0, 8}, {1, 1, 0, 8}, {1, 1, 0, kHuge}, {}, "v");
  expect_refused({kMuch, 1, 0, 8}, {kMuch, 1, 0, 8}, {kMuch, 1, 0, 8}, {}, "q");
  expect_refused({1, kMuch, 0, 8}, {1, 1, 0, 8}, {1, 1, 0, 8}, {}, "q");
  const TensorView<const float, 2> slopes{static_cast<const float*>(one_number({}).data), {1, 1}, {0, 0}};
  expect_refused({kMost, kMost, 0, 8}, {kMost, 1, 0, 8}, {kMost, 1, 0, 8}, {.alibi_slopes = slopes}, "q");
}

TEST(Extents, SequencesLongerThan32BitsCountAreRefused) {
  expect_refused({1, 1, kMost + 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 0}, {}, "q");
  expect_refused({1, 1, 1, 1}, {1, 1, kMost + 1, 1}, {1, 1, kMost + 1, 1}, {.window = {0, 0}}, "k");
  for (const KeyPart part : {KeyPart{0, kMost + 1}, KeyPart{kHuge - 4, kHuge}, KeyPart{0, kHuge}, KeyPart{-1, -1}}) {
    expect_refused({1, 1, 3, 8}, {1, 1, 4, 8}, {1, 1, 4, 8}, {.part = part}, "part.total");
  }
}

TEST(Extents, PagesTimesColumnsAreNotMultipliedBeyond32Bits) {
  const int64_t page = 0, length = 5;
  for (const auto& [columns, rows] : {std::pair<int64_t, int64_t>{int64_t{1} << 40, int64_t{1} << 24},
                                      {int64_t{1} << 62, 4},
                                      {int64_t{1} << 62, 2},
                                      {3, int64_t{1} << 30}}) {
    AttentionOptions options;
    options.key_lengths = TensorView<const int64_t, 1>{&length, {1}, {0}};
    options.block_table = TensorView<const int64_t, 2>{&page, {1, columns}, {0, 0}};
    expect_refused({1, 1, 2, 8}, {1, 1, rows, 8}, {1, 1, rows, 8}, options, "block_table");
  }
}

// The last keys of the longest sequence: distances, windows and corners as anywhere else.
TEST(Extents, APartAtTheEndOfTheLongestSequenceAgrees) {
  for (const Causal causal : {Causal::kNone, Causal::kBottomRight}) {
    for (const Window window : {Window{}, Window{.left = 3, .right = 1}, Window{.left = kHuge, .right = kHuge}}) {
      Problem p = make_problem({.H = 2, .M = 5, .N = 700, .D = 8, .E = 8});
      p.causal = causal;
      p.window = window;
      p.part = KeyPart{kMost - 700, kMost};
      p.alibi_slopes = Tensor<float, 2>({1, 2});
      (*p.alibi_slopes)(0, 0) = 0.25f;
      SCOPED_TRACE(p.text());
      EXPECT_TRUE(Judge(p).agrees(p.attend()));
      Random random(3);
      const Tensor<float, 4> dout = random_tensor({1, 2, 5, 8}, random);
      EXPECT_TRUE(GradientJudge(p, dout).agrees(gradients(p, dout)));
    }
  }
}

// Nobody steps along it, not even to ask for the next row ahead of time.
TEST(Extents, AnAxisOfSizeOneMayHaveAnyStride) {
  Problem p = make_problem({.M = 1, .N = 600, .D = 8, .E = 8});
  Random random(5);
  p.bias = random_tensor({1, 1, 1, 600}, random);
  p.mask = random_mask({1, 1, 1, 600}, 0.5, random);
  const AttentionResult expected = p.attend();
  AttentionOptions options = p.options();
  for (int axis = 0; axis < 3; ++axis) options.bias->strides[axis] = options.mask->strides[axis] = kHuge / 2;
  EXPECT_TRUE(same_bits(attention(p.q, p.k, p.v, options), expected));
}

TEST(Extents, WindowsBeyondEverythingCutNothing) {
  const Problem whole = make_problem({.M = 9, .N = 4, .D = 8, .E = 8});
  Problem p = make_problem(whole.shape);
  for (const Causal causal : {Causal::kNone, Causal::kTopLeft}) {
    for (const int64_t left : {kHuge, kHuge - 1, int64_t{13}}) {
      p.causal = causal;
      p.window = {};
      const AttentionResult expected = p.attend();
      p.window = {left, kHuge};
      EXPECT_TRUE(same_bits(p.attend(), expected)) << left;
    }
  }
}

// Every call on tensors of these sizes, which have no row or no key and so need no memory.
void expect_nothing_to_do(const Sizes& q, const Sizes& k, AttentionOptions options = {}) {
  SCOPED_TRACE(::testing::PrintToString(q) + ::testing::PrintToString(k));
  const FloatOutput out{nullptr, Storage::kF32, {q[0], q[1], q[2], 0}, {0, 0, 0, 0}};
  const TensorView<float, 3> lse{nullptr, {q[0], q[1], q[2]}, {0, 0, 0}};
  const FloatView query = one_number(q), key = one_number(k), value = one_number({k[0], k[1], k[2], 0});
  explain(query, key, value, options);
  if (q[0] * q[1] * q[2] > 0) {
    look(query, key, options, {.rows = {0}});
    return;
  }
  look(query, key, options, {.received = k[2] == 0, .entropy = true});
  attention(query, key, value, options, out, lse);
  attention_and_look(query, key, value, options, {.top_k = 3}, out);
  attention_backward(query, key, value, options, one_number(out.sizes), lse, one_number(out.sizes), {});
  if (!options.block_table) attention_partials(query, key, value, {});
  const AttentionPart part{{nullptr, out.sizes, out.strides}, lse};
  merge(std::span(&part, 1));
}

// Counted through, one such axis would take an hour.
TEST(Extents, NothingToDoTakesNoTimeHoweverLargeTheOtherSizesAre) {
  constexpr int64_t kMany = int64_t{1} << 40;
  const float number = 0.5f;
  const int64_t zero = 0;
  for (const int64_t keys : {0, 3}) {
    expect_nothing_to_do({kMany, 1, 0, 8}, {kMany, 1, keys, 8});
    expect_nothing_to_do({1, kMany, 0, 8}, {1, 1, keys, 8});
    expect_nothing_to_do({1, kMany, 0, 8}, {1, kMany, keys, 8});
    expect_nothing_to_do({kMany, 0, 4, 8}, {kMany, 2, keys, 8});
  }
  expect_nothing_to_do({1, kMany, 1, 8}, {1, 1, 0, 8});
  AttentionOptions options;
  options.alibi_slopes = TensorView<const float, 2>{&number, {kMany, 1}, {0, 0}};
  options.sinks = TensorView<const float, 1>{&number, {1}, {0}};
  options.key_lengths = TensorView<const int64_t, 1>{&zero, {kMany}, {0}};
  expect_nothing_to_do({kMany, 1, 0, 8}, {kMany, 1, 5, 8}, options);
  options.block_table = TensorView<const int64_t, 2>{&zero, {kMany, 2}, {0, 0}};
  expect_nothing_to_do({kMany, 1, 0, 8}, {9, 1, 5, 8}, options);
}

TEST(Extents, AMergeOfRowsWithoutMemoryIsRefusedAndOfNoRowsIsEmpty) {
  constexpr int64_t kMuch = int64_t{1} << 62;
  static float number = 0;
  const auto part = [](int64_t rows, int64_t size) {
    return AttentionPart{{&number, {1, 1, rows, size}, {0, 0, 0, 0}}, {&number, {1, 1, rows}, {0, 0, 0}}};
  };
  const auto merge_into = [&](const AttentionPart& p) {
    merge(std::span(&p, 1), {&number, p.out.sizes, p.out.strides}, {&number, p.lse.sizes, p.lse.strides});
  };
  EXPECT_NO_THROW(merge_into(part(0, kMuch)));
  EXPECT_THROW(merge_into(part(1, kMuch)), std::invalid_argument);
}

TEST(Extents, MoreSlopesThanAnyModelHasHeadsAreRefused) {
  EXPECT_EQ(alibi_slopes(int64_t{1} << 20).size(), size_t{1} << 20);
  for (const int64_t heads : {(int64_t{1} << 20) + 1, int64_t{1} << 40, kHuge}) {
    EXPECT_THROW(alibi_slopes(heads), std::invalid_argument) << heads;
  }
}

}  // namespace
}  // namespace limelight::testing
