// Options that do not fit the tensors, or each other, are refused at the door like any other argument.
#include <limits>

#include "tests/attention/spoiled_call.h"

namespace limelight::testing {
namespace {

using Spoil = std::function<void(SpoiledCall&)>;

template <class T, size_t Count>
TensorView<const T, 1> list(const T (&values)[Count]) {
  return view_of(values, std::array<int64_t, 1>{Count});
}

constexpr float kSlopes[] = {1, 1, 1, kNaN};

TEST(BadOptions, SlopesThatDoNotBroadcastOrAreNotFiniteAreRefused) {
  const auto with = [](const std::array<int64_t, 2>& sizes, const float* data = kSlopes) {
    return [=](SpoiledCall& c) { c.options.alibi_slopes = view_of(data, sizes); };
  };
  expect_refused(with({1, 3}), "alibi_slopes", "[2, 4]", "[1, 3]");
  expect_refused(with({3, 1}), "alibi_slopes", "[2, 4]", "[3, 1]");
  expect_refused(with({1, 4}), "alibi_slopes", "finite", "nan");
  expect_refused(with({1, 4}, nullptr), "alibi_slopes", "memory", "a null pointer");
}

TEST(BadOptions, SinksOfOtherHeadsOrThatAreNoScoresAreRefused) {
  static const float nan[] = {0, kNaN, 0, 0}, infinite[] = {0, 0, 0, kInfinity}, three[] = {0, 0, 0};
  const auto with = [](TensorView<const float, 1> sinks) { return [=](SpoiledCall& c) { c.options.sinks = sinks; }; };
  expect_refused(with(list(three)), "sinks", "[4]", "[3]");
  expect_refused(with(list(nan)), "sinks[1]", "finite", "nan");
  expect_refused(with(list(infinite)), "sinks[3]", "finite", "inf");
}

TEST(BadOptions, ProbabilitiesOutsideTheirRangeAreRefused) {
  const std::pair<float, const char*> spoils[] = {
      {1, "1"}, {-0.1f, "-0.1"}, {-1e-10f, "-1e-10"}, {kInfinity, "inf"}, {kNaN, "nan"}};
  for (const auto& [probability, found] : spoils) {
    expect_refused([p = probability](SpoiledCall& c) { c.options.dropout.probability = p; }, "dropout.probability",
                   "0 (off) to below 1", found);
  }
}

// A batch of 1 as a pack.
Spoil packed(std::optional<TensorView<const int64_t, 1>> cu_q, std::optional<TensorView<const int64_t, 1>> cu_k) {
  return [=](SpoiledCall& c) {
    c.q.sizes[0] = c.k.sizes[0] = c.v.sizes[0] = 1;
    c.options.cu_q = cu_q, c.options.cu_k = cu_k;
  };
}

TEST(BadOptions, PacksWhoseListsDoNotCoverThemAreRefused) {
  static const int64_t good[] = {0, 2, 5}, late[] = {1, 2, 5}, back[] = {0, 4, 3, 5}, early[] = {0, 2, 4};
  expect_refused(packed(list(late), list(good)), "cu_q", "begins with 0", "1");
  expect_refused(packed(list(good), list(back)), "cu_k[2]", "at least 4", "3");
  expect_refused(packed(list(early), list(good)), "cu_q[2]", "5", "4");
  expect_refused(packed(TensorView<const int64_t, 1>{good, {0}, {1}}, list(good)), "cu_q", "begins with 0", "none");
  static const int64_t one[] = {0, 5};
  expect_refused(packed(list(good), list(one)), "cu_k", "[3]", "[2]");
}

TEST(BadOptions, PacksWithHalfOfTheirListsOrABatchAreRefused) {
  static const int64_t good[] = {0, 2, 5};
  expect_refused(packed(list(good), std::nullopt), "cu_k", "either", "neither");
  expect_refused(packed(std::nullopt, list(good)), "cu_q", "since cu_k is given", "none");
  expect_refused([](SpoiledCall& c) { c.options.cu_q = c.options.cu_k = list(good); }, "q", "a batch of 1", "2");
  const auto with_lengths = [](SpoiledCall& c) {
    packed(list(good), list(good))(c);
    c.options.key_lengths = c.lengths_memory.view();
  };
  expect_refused(with_lengths, "key_lengths", "none with cu_k", "a view");
}

// k and v are two pages of five keys.
Spoil paged(const int64_t* table, const std::array<int64_t, 2>& sizes, bool lengths = true) {
  return [=](SpoiledCall& c) {
    c.options.block_table = view_of(table, sizes);
    c.lengths_memory(0) = c.lengths_memory(1) = 5;
    if (lengths) c.options.key_lengths = c.lengths_memory.view();
  };
}

TEST(BadOptions, TablesOfPagesThatAreNotThereAreRefused) {
  static const int64_t beyond[] = {0, 2}, negative[] = {-1, 1};
  expect_refused(paged(beyond, {2, 1}), "block_table[1, 0]", "0 to 1", "2");
  expect_refused(paged(negative, {2, 1}), "block_table[0, 0]", "0 to 1", "-1");
  expect_refused(paged(beyond, {1, 2}), "block_table", "[2, any]", "[1, 2]");
  expect_refused(paged(nullptr, {2, 1}), "block_table", "memory", "a null pointer");
  expect_refused(paged(beyond, {2, 1}, false), "key_lengths", "since block_table is given", "none");
  expect_refused(paged(beyond, {2, 0}), "key_lengths[0]", "0 to 0", "5");
}

TEST(BadOptions, PartsOutsideTheirWholeAreRefused) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const auto part = [](int64_t first, int64_t total) {
    return [=](SpoiledCall& c) { c.options.part = KeyPart{first, total}; };
  };
  expect_refused(part(1, 5), "part", "room for 5 keys", "first 1, total 5");
  expect_refused(part(-1, 5), "part", "room for 5 keys", "first -1, total 5");
  expect_refused(part(kMost, 10), "part", "room for 5 keys", "first 9223372036854775807, total 10");
  expect_refused(part(0, -1), "part.total", "0 to 2147483647", "-1");
  expect_refused(part(kMost - 5, kMost), "part.total", "0 to 2147483647", "9223372036854775807");
  const auto with_lengths = [](SpoiledCall& c) {
    c.options.part = KeyPart{0, 5};
    c.options.key_lengths = c.lengths_memory.view();
  };
  expect_refused(with_lengths, "part", "none with key_lengths", "a part");
}

}  // namespace
}  // namespace limelight::testing
