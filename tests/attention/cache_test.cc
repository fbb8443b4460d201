// Appending to a key/value cache: rows land behind those that are there, nothing else is touched, what does not fit is
// refused before anything is written.
#include "limelight/cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "tests/attention/compare.h"
#include "tests/attention/layout.h"
#include "tests/attention/problem.h"
#include "tests/model/thrown.h"

namespace limelight::testing {
namespace {

constexpr float kFiller = 77;
constexpr int64_t kBatch = 2, kGroups = 3, kCapacity = 12, kPage = 4, kPages = 8, kHeadSize = 5, kValueSize = 2;

// Memory of a cache whose free slots hold kFiller; paged when it has a table.
struct Memory {
  Tensor<float, 4> k, v;
  Tensor<int64_t, 1> lengths = Tensor<int64_t, 1>({kBatch});
  std::optional<Tensor<int64_t, 2>> table;

  explicit Memory(bool paged = false)
      : k({paged ? kPages : kBatch, kGroups, paged ? kPage : kCapacity, kHeadSize}),
        v({k.sizes()[0], kGroups, k.sizes()[2], kValueSize}) {
    std::fill_n(k.data(), k.count(), kFiller);
    std::fill_n(v.data(), v.count(), kFiller);
    if (!paged) return;
    table = Tensor<int64_t, 2>({kBatch, kCapacity / kPage});
    const int64_t pages[] = {5, 0, 7, 2, 6, 1};  // 3 and 4 belong to nobody
    std::copy_n(pages, 6, table->data());
  }
  Memory(Memory&&) = default;

  Memory clone() const {
    Memory copy(table.has_value());
    copy.k = k.clone(), copy.v = v.clone(), copy.lengths = lengths.clone();
    if (table) copy.table = table->clone();
    return copy;
  }

  KeyValueCache cache() {
    KeyValueCache cache{k, v, lengths, std::nullopt};
    if (table) cache.block_table = table->view();
    return cache;
  }

  // What position j of sequence b holds.
  const float& key(int64_t b, int64_t g, int64_t j, int64_t d) const {
    return table ? k((*table)(b, j / kPage), g, j % kPage, d) : k(b, g, j, d);
  }
  const float& value(int64_t b, int64_t g, int64_t j, int64_t e) const {
    return table ? v((*table)(b, j / kPage), g, j % kPage, e) : v(b, g, j, e);
  }
};

::testing::AssertionResult same_memory(const Memory& a, const Memory& b) {
  if (auto r = same_bits(a.k, b.k); !r) return r << " (k)";
  if (auto r = same_bits(a.v, b.v); !r) return r << " (v)";
  return same_bits(a.lengths, b.lengths) << " (lengths)";
}

struct Rows {
  Tensor<float, 4> k, v;
  explicit Rows(int64_t count, uint64_t seed = 1) {
    Random random(seed);
    k = random_tensor({kBatch, kGroups, count, kHeadSize}, random);
    v = random_tensor({kBatch, kGroups, count, kValueSize}, random);
  }
};

Tensor<int64_t, 1> counts_of(int64_t first, int64_t second) {
  Tensor<int64_t, 1> counts({kBatch});
  counts(0) = first, counts(1) = second;
  return counts;
}

// Each sequence's slots: its rows, then filler; and pages of nobody are as they were.
void expect_holds(const Memory& memory, const Rows& rows, const std::array<int64_t, 2>& lengths) {
  int64_t filler = 0;
  for (int64_t b = 0; b < kBatch; ++b) {
    ASSERT_EQ(memory.lengths(b), lengths[b]);
    for (int64_t g = 0; g < kGroups; ++g) {
      for (int64_t j = 0; j < lengths[b]; ++j) {
        for (int64_t d = 0; d < kHeadSize; ++d) ASSERT_EQ(memory.key(b, g, j, d), rows.k(b, g, j, d));
        for (int64_t e = 0; e < kValueSize; ++e) ASSERT_EQ(memory.value(b, g, j, e), rows.v(b, g, j, e));
      }
    }
  }
  for (int64_t n = 0; n < memory.k.count(); ++n) filler += memory.k.data()[n] == kFiller;
  EXPECT_EQ(filler, memory.k.count() - (lengths[0] + lengths[1]) * kGroups * kHeadSize);
}

TEST(Append, WritesBehindWhatIsThereAndNowhereElse) {
  for (const bool paged : {false, true}) {
    Memory memory(paged);
    const Rows rows(7);
    append(memory.cache(), rows.k, rows.v);
    expect_holds(memory, rows, {7, 7});
  }
}

TEST(Append, InChunksEqualsTheWhole) {
  for (const bool paged : {false, true}) {
    Memory whole(paged), chunked(paged);
    const Rows rows(kCapacity);  // to the last slot
    append(whole.cache(), rows.k, rows.v);
    int64_t begin = 0;
    for (const int64_t count : {3, 0, 1, 1, 6, 1}) {
      const auto part = [&](const Tensor<float, 4>& t) { return slice(t.view(), 2, begin, count); };
      append(chunked.cache(), part(rows.k), part(rows.v));
      begin += count;
    }
    EXPECT_TRUE(same_memory(chunked, whole));
    expect_holds(whole, rows, {kCapacity, kCapacity});
  }
}

TEST(Append, TakesTheFirstRowsOfEachSequence) {
  for (const bool paged : {false, true}) {
    Memory memory(paged);
    const Rows rows(9);
    append(memory.cache(), rows.k, rows.v, counts_of(0, 9).view());
    expect_holds(memory, rows, {0, 9});
    append(memory.cache(), rows.k, rows.v, counts_of(6, 0).view());
    expect_holds(memory, rows, {6, 9});
  }
}

TEST(Append, OfNothingChangesNothing) {
  for (const bool paged : {false, true}) {
    Memory memory(paged);
    const Rows some(5), none(0);
    append(memory.cache(), some.k, some.v);
    const Memory before = memory.clone();
    append(memory.cache(), none.k, none.v);
    append(memory.cache(), FloatView(nullptr, Storage::kF16, none.k.sizes(), {}), none.v);
    append(memory.cache(), some.k, some.v, counts_of(0, 0).view());
    EXPECT_TRUE(same_memory(memory, before));
  }
}

TEST(Append, LooksAtNoColumnThatItDoesNotWriteTo) {
  Memory memory(true);
  for (int64_t c = 0; c < 3; ++c) (*memory.table)(0, c) = c == 1 ? 3 : -1;
  for (int64_t c = 0; c < 3; ++c) (*memory.table)(1, c) = std::numeric_limits<int64_t>::max();
  memory.lengths(0) = kPage, memory.lengths(1) = 2;
  const Rows rows(kPage);
  append(memory.cache(), rows.k, rows.v, counts_of(kPage, 0).view());
  EXPECT_EQ(memory.lengths(0), 2 * kPage);
  EXPECT_EQ(memory.k(3, 2, 3, 4), rows.k(0, 2, 3, 4));
}

// Sequences may share pages that are full.
TEST(Append, SharedPrefixPagesAreLeftAlone) {
  Memory memory(true);
  (*memory.table)(1, 0) = (*memory.table)(0, 0);
  memory.lengths(0) = memory.lengths(1) = kPage;
  const Rows rows(5);
  append(memory.cache(), rows.k, rows.v);
  for (int64_t n = 0; n < kGroups * kPage * kHeadSize; ++n) ASSERT_EQ((&memory.key(0, 0, 0, 0))[n], kFiller);
  for (int64_t b = 0; b < kBatch; ++b) EXPECT_EQ(memory.value(b, 1, kPage + 4, 1), rows.v(b, 1, 4, 1));
}

template <class T>
Tensor<T, 4> stored(const Tensor<float, 4>& from) {
  Tensor<T, 4> to(from.sizes());
  for (int64_t n = 0; n < from.count(); ++n) store_float(from.data()[n], to.data() + n, storage_of<T>());
  return to;
}

// What a cache of type To holds after rows of type From are appended is each number read and stored again.
template <class From, class To>
void expect_converted(const Tensor<float, 4>& numbers) {
  SCOPED_TRACE(std::string(storage_name(storage_of<From>())) + " to " + std::string(storage_name(storage_of<To>())));
  const Tensor<From, 4> rows = stored<From>(numbers);
  Tensor<To, 4> k(numbers.sizes()), v(numbers.sizes());
  Tensor<int64_t, 1> lengths({numbers.sizes()[0]});
  append({k, v, lengths, std::nullopt}, rows, rows);
  for (int64_t n = 0; n < numbers.count(); ++n) {
    To expected;
    store_float(load_float(rows.data() + n, storage_of<From>()), &expected, storage_of<To>());
    ASSERT_EQ(std::memcmp(k.data() + n, &expected, sizeof expected), 0) << n;
    ASSERT_EQ(std::memcmp(v.data() + n, &expected, sizeof expected), 0) << n;
  }
}

TEST(Append, ConvertsBetweenAnyTwoStorages) {
  Tensor<float, 4> numbers = std::move(Rows(8).k);
  const float special[] = {kInfinity, -kInfinity, kNaN, -0.0f, 1e-7f, 70000.0f, 3e38f};
  std::copy(std::begin(special), std::end(special), numbers.data());
  expect_converted<float, float>(numbers);
  expect_converted<float, Float16>(numbers);
  expect_converted<float, BFloat16>(numbers);
  expect_converted<Float16, float>(numbers);
  expect_converted<Float16, Float16>(numbers);
  expect_converted<Float16, BFloat16>(numbers);
  expect_converted<BFloat16, float>(numbers);
  expect_converted<BFloat16, Float16>(numbers);
  expect_converted<BFloat16, BFloat16>(numbers);
}

TEST(Append, TakesAnyStridesOnBothSides) {
  const Rows rows(6);
  Memory plain;
  append(plain.cache(), rows.k, rows.v);
  for (const Layout& from : layouts()) {
    for (const Layout& to : layouts()) {
      SCOPED_TRACE(from.name + " to " + to.name);
      const Laid<float> new_k(from, rows.k, kNaN), new_v(from, rows.v, kNaN);
      const Laid<float> k(to, plain.k.sizes(), kFiller), v(to, plain.v.sizes(), kFiller);
      Tensor<int64_t, 1> lengths({kBatch});
      append({k.view(), v.view(), lengths, std::nullopt}, new_k.view(), new_v.view());
      EXPECT_TRUE(same_bits(copy_of(k.view()), plain.k));
      EXPECT_TRUE(same_bits(copy_of(v.view()), plain.v));
      EXPECT_EQ(std::count(v.memory().begin(), v.memory().end(), kFiller),
                static_cast<int64_t>(v.memory().size()) - rows.v.count());
    }
  }
}

TEST(Append, OneRowForAllSequencesMayBeBroadcast) {
  const Rows rows(1);
  Memory memory;
  const auto shared = [](const Tensor<float, 4>& t) {
    TensorView<const float, 4> view = t;
    view.strides[0] = 0;
    return view;
  };
  append(memory.cache(), shared(rows.k), shared(rows.v));
  EXPECT_EQ(memory.k(1, 2, 0, 3), rows.k(0, 2, 0, 3));
}

// Every argument of a call, valid until a test spoils one.
struct Call {
  explicit Call(bool paged) : memory(paged) {
    memory.lengths(0) = 3, memory.lengths(1) = 6;
    cache = memory.cache();
  }
  Memory memory;
  Rows rows = Rows(5);
  Tensor<int64_t, 1> counts_memory = counts_of(5, 4);
  KeyValueCache cache;
  FloatView k = rows.k, v = rows.v;
  std::optional<TensorView<const int64_t, 1>> counts = counts_memory.view();
};

template <class Spoil>
void expect_refused(const Spoil& spoil, const std::string& message, bool paged = false) {
  Call c(paged);
  spoil(c);
  const Memory before = c.memory.clone();
  EXPECT_EQ(thrown<std::invalid_argument>([&] { append(c.cache, c.k, c.v, c.counts); }), "[append] " + message);
  EXPECT_TRUE(same_memory(c.memory, before)) << message;
}

TEST(Append, TheUnspoiledCallIsTaken) {
  for (const bool paged : {false, true}) {
    Call c(paged);
    append(c.cache, c.k, c.v, c.counts);
    EXPECT_EQ(c.memory.lengths(0), 8);
    EXPECT_EQ(c.memory.lengths(1), 10);
  }
}

TEST(Append, SizesThatDoNotFitAreRefused) {
  expect_refused([](Call& c) { c.v.sizes[0] = 1; }, "v: expected [2, 3, 5, any], found [1, 3, 5, 2]");
  expect_refused([](Call& c) { c.v.sizes[2] = 4; }, "v: expected [2, 3, 5, any], found [2, 3, 4, 2]");
  expect_refused([](Call& c) { c.k.sizes[1] = c.v.sizes[1] = 2; },
                 "cache.k: expected [2, 2, any, 5], found [2, 3, 12, 5]");
  expect_refused([](Call& c) { c.k.sizes[3] = 4; }, "cache.k: expected [2, 3, any, 4], found [2, 3, 12, 5]");
  expect_refused([](Call& c) { c.cache.k.sizes[0] = 1; }, "cache.k: expected [2, 3, any, 5], found [1, 3, 12, 5]");
  expect_refused([](Call& c) { c.cache.v.sizes[2] = 11; }, "cache.v: expected [2, 3, 12, 2], found [2, 3, 11, 2]");
  expect_refused([](Call& c) { c.cache.v.sizes[0] = 7; }, "cache.v: expected [8, 3, 4, 2], found [7, 3, 4, 2]", true);
  expect_refused([](Call& c) { c.v.sizes[3] = 1; }, "cache.v: expected [2, 3, 12, 1], found [2, 3, 12, 2]");
  expect_refused([](Call& c) { c.cache.lengths.sizes[0] = 1; }, "cache.lengths: expected [2], found [1]");
  expect_refused([](Call& c) { c.counts->sizes[0] = 3; }, "counts: expected [2], found [3]");
  expect_refused([](Call& c) { c.cache.block_table->sizes[0] = 1; },
                 "cache.block_table: expected [2, any], found [1, 3]", true);
  expect_refused([](Call& c) { c.k.sizes[2] = -1; }, "k: expected sizes of at least 0, found [2, 3, -1, 5]");
}

TEST(Append, MissingMemoryIsRefused) {
  const std::string null = ", found a null pointer";
  expect_refused([](Call& c) { c.k.data = nullptr; }, "k: expected memory for [2, 3, 5, 5]" + null);
  expect_refused([](Call& c) { c.v.data = nullptr; }, "v: expected memory for [2, 3, 5, 2]" + null);
  expect_refused([](Call& c) { c.cache.k.data = nullptr; }, "cache.k: expected memory for [2, 3, 12, 5]" + null);
  expect_refused([](Call& c) { c.cache.v.data = nullptr; }, "cache.v: expected memory for [2, 3, 12, 2]" + null);
  expect_refused([](Call& c) { c.cache.lengths.data = nullptr; }, "cache.lengths: expected memory for [2]" + null);
  expect_refused([](Call& c) { c.counts->data = nullptr; }, "counts: expected memory for [2]" + null);
  expect_refused([](Call& c) { c.cache.block_table->data = nullptr; },
                 "cache.block_table: expected memory for [2, 3]" + null, true);
}

TEST(Append, CountsAndLengthsOutsideTheirRangeAreRefused) {
  const int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  for (const bool paged : {false, true}) {
    for (const int64_t bad : {int64_t{-1}, int64_t{6}, least, most}) {
      expect_refused([=](Call& c) { c.counts_memory(1) = bad; },
                     "counts[1]: expected 0 to 5, found " + std::to_string(bad), paged);
    }
    for (const int64_t bad : {int64_t{-1}, int64_t{13}, least, most}) {
      expect_refused([=](Call& c) { c.cache.lengths(0) = bad; },
                     "cache.lengths[0]: expected 0 to 12, found " + std::to_string(bad), paged);
    }
  }
}

TEST(Append, BeyondTheCapacityIsRefused) {
  const auto full = [](Call& c) { c.memory.lengths(1) = 9; };
  expect_refused(full, "cache.lengths[1]: expected room for 4 more keys in 12, found 9 keys");
  expect_refused(full, "cache.lengths[1]: expected room for 4 more keys in 3 pages of 4, found 9 keys", true);
  expect_refused([](Call& c) { c.counts.reset(), c.memory.lengths(0) = 8; },
                 "cache.lengths[0]: expected room for 5 more keys in 12, found 8 keys");
  expect_refused([](Call& c) { c.cache.block_table->sizes[1] = 2; },
                 "cache.lengths[1]: expected room for 4 more keys in 2 pages of 4, found 6 keys", true);
  expect_refused([](Call& c) { c.cache.block_table->sizes[1] = 0, c.memory.lengths(0) = 0; },
                 "cache.lengths[0]: expected room for 5 more keys in 0 pages of 4, found 0 keys", true);
  expect_refused([](Call& c) { c.cache.k.sizes[2] = c.cache.v.sizes[2] = 0, c.memory.lengths(0) = 0; },
                 "cache.lengths[0]: expected room for 5 more keys in 0, found 0 keys");
}

TEST(Append, PagesThatDoNotExistAreRefused) {
  for (const int64_t bad : {int64_t{-1}, kPages, std::numeric_limits<int64_t>::max()}) {
    expect_refused([=](Call& c) { (*c.memory.table)(1, 2) = bad; },
                   "cache.block_table[1, 2]: expected 0 to 7, found " + std::to_string(bad), true);
  }
}

TEST(Append, PagesWrittenTwiceAreRefused) {
  const std::string only = "expected a page that nothing else is written to, found 5, as cache.block_table[0, 0]";
  expect_refused([](Call& c) { (*c.memory.table)(1, 1) = 5; }, "cache.block_table[1, 1]: " + only, true);
  expect_refused([](Call& c) { (*c.memory.table)(0, 1) = 5; }, "cache.block_table[0, 1]: " + only, true);
}

}  // namespace
}  // namespace limelight::testing
