// Attention over a cache that was filled by append() is attention over the keys themselves.
#include <gtest/gtest.h>

#include <vector>

#include "limelight/cache.h"
#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

constexpr Shape kShape{.B = 2, .H = 4, .G = 2, .M = 70, .N = 70, .D = 16, .E = 12};
constexpr int64_t kPage = 8, kColumns = 10;

// A cache of two sequences; free slots hold NaN, which may not be observed.
struct Filled {
  Tensor<float, 4> k, v;
  Tensor<int64_t, 1> lengths = Tensor<int64_t, 1>({2});
  Tensor<int64_t, 2> table = Tensor<int64_t, 2>({2, kColumns});
  bool paged;

  explicit Filled(bool in_pages)
      : k({in_pages ? 2 * kColumns : 2, 2, in_pages ? kPage : kPage * kColumns, 16}),
        v({k.sizes()[0], 2, k.sizes()[2], 12}),
        paged(in_pages) {
    std::fill_n(k.data(), k.count(), kNaN);
    std::fill_n(v.data(), v.count(), kNaN);
    for (int64_t n = 0; n < 2 * kColumns; ++n) table.data()[n] = n * 7 % (2 * kColumns);  // 7 and 20 share no factor
  }

  KeyValueCache cache() {
    KeyValueCache cache{k, v, lengths, std::nullopt};
    if (paged) cache.block_table = table.view();
    return cache;
  }

  AttentionResult attend(const TensorView<const float, 4>& q) {
    AttentionOptions options{.causal = Causal::kBottomRight, .key_lengths = lengths.view()};
    if (paged) options.block_table = table.view();
    return attention(q, k, v, options);
  }
};

TensorView<const float, 4> rows(const Tensor<float, 4>& of, int64_t begin, int64_t count) {
  return slice(of.view(), 2, begin, count);
}

TEST(CachedKeys, ChunkByChunkGivesTheBitsOfTheFullPass) {
  Problem p = make_problem(kShape, 70);
  p.causal = Causal::kBottomRight;
  under_every_isa([&] {
    const AttentionResult whole = p.attend();
    for (const bool paged : {false, true}) {
      Filled filled(paged);
      int64_t begin = 0;
      for (const int64_t count : {33, 1, 1, 14, 1, 20}) {
        append(filled.cache(), rows(p.k, begin, count), rows(p.v, begin, count));
        const AttentionResult found = filled.attend(rows(p.q, begin, count));
        EXPECT_TRUE(same_bits(found.out, copy_of(slice(whole.out.view(), 2, begin, count)))) << paged << " " << begin;
        EXPECT_TRUE(same_bits(found.lse, copy_of(slice(whole.lse.view(), 2, begin, count)))) << paged << " " << begin;
        begin += count;
      }
    }
  });
}

TEST(CachedKeys, SequencesOfDifferentLengthsDoNotMix) {
  Problem p = make_problem(kShape, 71);
  p.causal = Causal::kBottomRight;
  Tensor<int64_t, 1> counts({2});
  counts(0) = 9, counts(1) = 41;
  for (const bool paged : {false, true}) {
    Filled filled(paged);
    append(filled.cache(), p.k, p.v, counts.view());
    const AttentionResult found = filled.attend(rows(p.q, 0, 1));
    for (int64_t b = 0; b < 2; ++b) {
      const auto keys = [&](const Tensor<float, 4>& of) { return slice(rows(of, 0, counts(b)), 0, b, 1); };
      const AttentionResult alone =
          attention(slice(rows(p.q, 0, 1), 0, b, 1), keys(p.k), keys(p.v), {.causal = Causal::kBottomRight});
      EXPECT_TRUE(same_bits(copy_of(slice(found.out.view(), 0, b, 1)), alone.out)) << paged << " " << b;
      EXPECT_TRUE(same_bits(copy_of(slice(found.lse.view(), 0, b, 1)), alone.lse)) << paged << " " << b;
    }
  }
}

}  // namespace
}  // namespace limelight::testing
