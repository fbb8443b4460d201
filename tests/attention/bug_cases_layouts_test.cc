// Memory in any order: strides of every sign, each tensor its own, any address, and outputs that keep to their
// elements.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/attention/bug_cases.h"
#include "tests/attention/layout.h"
#include "tests/attention/stored.h"

namespace limelight::testing {
namespace {

const Layout kEveryOtherElement{.name = "every second element", .step = {1, 1, 1, 2}};
const Layout kEveryOtherRow{.name = "every second row", .step = {1, 1, 2, 1}};
const Layout kRowsReversed{.name = "rows reversed", .step = {1, 1, -1, 1}};
const Layout kElementsReversed{.name = "elements reversed", .step = {1, 1, 1, -1}};

// pytorch/pytorch#187506; flagos-ai/FlagAttention#45; ROCm/pytorch#3230.
TEST(LayoutCases, StridesOfQueriesKeysAndValuesAreTheirOwn) {
  const Problem p = make_problem({.H = 4, .G = 2, .M = 9, .N = 530, .D = 16, .E = 16});
  under_every_isa([&] {
    const Everything expected = everything(p);
    for (const Layout& layout : {kEveryOtherElement, kEveryOtherRow, kRowsReversed, kElementsReversed}) {
      const Laid<float> q(layout, p.q, kNaN), k(layout, p.k, kNaN), v(layout, p.v, kNaN);
      EXPECT_TRUE(same_bits(everything({q.view(), k.view(), v.view(), {}}), expected)) << layout.name;
      EXPECT_TRUE(same_bits(everything({p.q, k.view(), p.v, {}}), expected)) << layout.name << ", keys alone";
      EXPECT_TRUE(same_bits(everything({p.q, p.k, v.view(), {}}), expected)) << layout.name << ", values alone";
    }
    // Keys and values change places: the layout goes with the tensor.
    const Laid<float> spread(kEveryOtherRow, p.k, kNaN);
    EXPECT_TRUE(same_bits(everything({p.q, p.v, spread.view(), {}}), everything({p.q, p.v, p.k, {}})));
  });
}

// flagos-ai/FlagGems#5896, #5235: heads as columns of [B, L, H D].
TEST(LayoutCases, HeadsInsideRowsEqualTheirCopiesInBits) {
  constexpr int64_t kLength = 62, kHeads = 16, kSize = 128;
  Random random(6);
  const Tensor<float, 4> rows = random_tensor({2, kLength, kHeads, kSize}, random);
  const TensorView<const float, 4> v{
      rows.data(), {2, kHeads, kLength, kSize}, {kLength * kHeads * kSize, kSize, kHeads * kSize, 1}};
  const Problem p = make_problem({.B = 2, .H = kHeads, .G = kHeads, .M = 7, .N = kLength, .D = 16, .E = kSize});
  under_every_isa([&] {
    EXPECT_TRUE(same_bits(everything({p.q, p.k, v, {}}), everything({p.q, p.k, copy_of(v), {}})));
  });
}

TEST(LayoutCases, OneBatchEntryAndOneHeadMayStandForAll) {
  const Problem p = make_problem({.B = 3, .H = 4, .G = 4, .M = 7, .N = 70, .D = 16, .E = 16});
  for (size_t axis : {0, 1}) {
    const auto once = [axis](TensorView<const float, 4> view) {
      view.strides[axis] = 0;
      return view;
    };
    under_every_isa([&] {
      EXPECT_TRUE(same_bits(everything({once(p.q), once(p.k), once(p.v), {}}),
                            everything({copy_of(once(p.q)), copy_of(once(p.k)), copy_of(once(p.v)), {}})));
    });
  }
}

// A tensor whose first byte stands at an odd address.
struct Shifted {
  Shifted(const Tensor<float, 4>& from, Storage storage, const std::array<int64_t, 4>& strides)
      : memory(static_cast<size_t>(from.count() * storage_bytes(storage) + 1)),
        view(memory.data() + 1, storage, from.sizes(), strides) {
    for_each_index(from.sizes(), [&](auto... at) { store_float(from(at...), view.at(at...), storage); });
  }
  Tensor<float, 4> values() const {
    Tensor<float, 4> all(view.sizes);
    for_each_index(view.sizes, [&](auto... at) { all(at...) = load_float(view.at(at...), view.storage); });
    return all;
  }
  std::vector<std::byte> memory;
  FloatOutput view;
};

TEST(LayoutCases, NumbersMayStandAtOddAddresses) {
  Problem p = make_problem({.H = 2, .G = 1, .M = 9, .N = 70, .D = 24, .E = 17});
  const auto transposed = [](const std::array<int64_t, 4>& s) {
    return std::array<int64_t, 4>{s[1] * s[2] * s[3], s[2] * s[3], 1, s[2]};
  };
  for (Storage storage : {Storage::kF32, Storage::kF16, Storage::kBf16}) {
    narrow(p, storage);
    for (bool rows : {true, false}) {
      const auto strides = [&](const Tensor<float, 4>& t) {
        return rows ? row_major(t.sizes()) : transposed(t.sizes());
      };
      const Shifted q(p.q, storage, strides(p.q)), k(p.k, storage, strides(p.k)), v(p.v, storage, strides(p.v));
      under_every_isa([&] {
        const Everything found = everything({q.view, k.view, v.view, {}});
        EXPECT_TRUE(same_bits(found, everything(p))) << storage_name(storage) << (rows ? "" : " transposed");
        const Shifted out(Tensor<float, 4>({1, 2, 9, 17}), storage, strides(Tensor<float, 4>({1, 2, 9, 17})));
        attention(q.view, k.view, v.view, {}, out.view);
        EXPECT_TRUE(same_bits(out.values(), everything_in(p, storage).attention.out)) << storage_name(storage);
      });
    }
  }
}

// Outputs spread over a larger buffer: what lies between their elements stays as it was.
TEST(LayoutCases, NothingIsWrittenBetweenTheElementsOfAnOutput) {
  const Problem p = make_problem({.B = 2, .H = 4, .G = 2, .M = 9, .N = 70, .D = 12, .E = 10});
  const Layout gaps{.name = "gaps everywhere", .order = {2, 0, 1, 3}, .step = {3, -2, 3, 5}};
  for (Storage storage : {Storage::kF32, Storage::kF16}) {
    under_every_isa([&] {
      const AttentionResult forward = p.attend();
      const Stored out(forward.out.sizes(), storage, gaps), dq(p.q.sizes(), storage, gaps);
      const Stored dk(p.k.sizes(), storage, gaps), dv(p.v.sizes(), storage, gaps);
      attention(p.q, p.k, p.v, {}, out.output());
      attention_backward(p.q, p.k, p.v, {}, forward.out, forward.lse, dout_for(forward.out.sizes()),
                         {.dq = dq.output(), .dk = dk.output(), .dv = dv.output()});
      for (const Stored* to : {&out, &dq, &dk, &dv}) {
        Stored again(to->view().sizes, storage, gaps);  // the same elements alone, everything else untouched
        const Tensor<float, 4> values = to->values();
        for_each_index(values.sizes(),
                       [&](auto... at) { store_float(values(at...), again.output().at(at...), storage); });
        EXPECT_TRUE(again.memory() == to->memory()) << storage_name(storage);
      }
    });
  }
}

}  // namespace
}  // namespace limelight::testing
