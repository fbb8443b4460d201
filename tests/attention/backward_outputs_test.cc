// Where gradients go: any of them, in any storage and layout, overwritten; and what is refused.
#include <gtest/gtest.h>

#include <functional>

#include "tests/attention/compare_gradients.h"
#include "tests/attention/stored.h"

namespace limelight::testing {
namespace {

// A problem with all that has a gradient, its forward result and its gradients in f32.
struct Call {
  Problem p = make_problem({.B = 2, .H = 4, .G = 2, .M = 5, .N = 9, .D = 8, .E = 6});
  Tensor<float, 4> dout;
  AttentionResult forward;

  Call() {
    Random random(4);
    p.bias = random_tensor({1, 4, 1, 9}, random);
    p.sinks = Tensor<float, 1>({4});
    dout = random_tensor({2, 4, 5, 6}, random);
    forward = p.attend();
  }
  void run(const AttentionGradients& to) const {
    attention_backward(p.q, p.k, p.v, p.options(), forward.out, forward.lse, dout, to);
  }
};

TEST(BackwardOutputs, EachAloneHasTheBitsOfAllTogether) {
  under_every_isa([] {
    const Call call;
    const Gradients all = gradients(call.p, call.dout);
    Tensor<float, 4> dq(all.dq.sizes()), dk(all.dk.sizes()), dv(all.dv.sizes()), dbias(all.dbias.sizes());
    Tensor<float, 1> dsinks({4});
    call.run({.dq = dq});
    call.run({.dk = dk});
    call.run({.dv = dv});
    call.run({.dbias = dbias.view()});
    call.run({.dsinks = dsinks.view()});
    call.run({});
    EXPECT_TRUE(same_bits(dq, all.dq));
    EXPECT_TRUE(same_bits(dk, all.dk));
    EXPECT_TRUE(same_bits(dv, all.dv));
    EXPECT_TRUE(same_bits(dbias, all.dbias));
    EXPECT_TRUE(same_bits(dsinks, all.dsinks));
  });
}

// Memory is compared byte for byte, gaps and all.
TEST(BackwardOutputs, AnyStorageAndLayoutHoldsTheNearestNumbersAndNothingElseIsWritten) {
  const Call call;
  const Gradients all = gradients(call.p, call.dout);
  for (const Storage storage : {Storage::kF32, Storage::kF16, Storage::kBf16}) {
    for (const Layout& layout : layouts()) {
      SCOPED_TRACE(std::string(storage_name(storage)) + " " + layout.name);
      const Stored dq(all.dq.sizes(), storage, layout), dk(all.dk.sizes(), storage, layout);
      const Stored dv(all.dv.sizes(), storage, layout);
      call.run({.dq = dq.output(), .dk = dk.output(), .dv = dv.output()});
      EXPECT_TRUE(dq.memory() == Stored(all.dq, storage, layout).memory());
      EXPECT_TRUE(dk.memory() == Stored(all.dk, storage, layout).memory());
      EXPECT_TRUE(dv.memory() == Stored(all.dv, storage, layout).memory());
    }
  }
}

// Inputs in 16 bits, with an out in f32, have the bits of the same numbers in f32.
TEST(BackwardOutputs, StorageOfTheInputsLeavesTheBits) {
  for (const Storage storage : {Storage::kF16, Storage::kBf16}) {
    Call call;
    for (Tensor<float, 4>* t : {&call.p.q, &call.p.k, &call.p.v, &call.dout}) {
      for (int64_t n = 0; n < t->count(); ++n) t->data()[n] = narrowed(t->data()[n], storage);
    }
    call.forward = call.p.attend();
    const Gradients all = gradients(call.p, call.dout);
    const Layout plain;
    const Stored q(call.p.q, storage, plain), k(call.p.k, storage, plain), v(call.p.v, storage, plain);
    const Stored dout(call.dout, storage, plain);
    Tensor<float, 4> dq(all.dq.sizes()), dk(all.dk.sizes()), dv(all.dv.sizes());
    attention_backward(q.view(), k.view(), v.view(), call.p.options(), call.forward.out, call.forward.lse, dout.view(),
                       {.dq = dq, .dk = dk, .dv = dv});
    EXPECT_TRUE(same_bits(dq, all.dq));
    EXPECT_TRUE(same_bits(dk, all.dk));
    EXPECT_TRUE(same_bits(dv, all.dv));
  }
}

// A page that no sequence uses, and the slots behind a sequence's length, get 0.
TEST(BackwardOutputs, PagesWithoutKeysGetZero) {
  Problem p = make_problem({.H = 1, .G = 1, .M = 3, .N = 4, .D = 4, .E = 4});
  Random random(1);
  p.k = random_tensor({3, 1, 2, 4}, random), p.v = random_tensor({3, 1, 2, 4}, random);
  p.block_table = Tensor<int64_t, 2>({1, 2});
  (*p.block_table)(0, 0) = 2, (*p.block_table)(0, 1) = 0;
  p.key_lengths = Tensor<int64_t, 1>({1});
  (*p.key_lengths)(0) = 3;
  const Tensor<float, 4> dout = random_tensor({1, 1, 3, 4}, random);
  const auto expected = detail::reference_backward<double>(p.q, p.k, p.v, p.options(), dout);
  const Gradients found = gradients(p, dout);
  for_each_index(found.dk.sizes(), [&](auto... at) {
    EXPECT_EQ(found.dk(at...) == 0, expected.dk(at...) == 0);
    EXPECT_EQ(found.dv(at...) == 0, expected.dv(at...) == 0);
  });
}

void expect_refused(const char* field, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << field << " was not refused";
  } catch (const std::invalid_argument& error) {
    const std::string start = std::string("[attention_backward] ") + field;
    EXPECT_EQ(std::string(error.what()).substr(0, start.size()), start);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(BackwardOutputs, WithoutAQueryEveryGradientIsOverwrittenWithZero) {
  for (const Shape& shape : {Shape{.B = 2, .M = 0, .N = 600}, Shape{.H = 0, .G = 2, .M = 3, .N = 4}}) {
    Problem p = make_problem(shape);
    p.bias = Tensor<float, 4>({1, 1, 1, shape.N});
    p.sinks = Tensor<float, 1>({shape.H});
    const AttentionResult forward = p.attend();
    Tensor<float, 4> dk(p.k.sizes()), dv(p.v.sizes()), dbias(p.bias->sizes());
    Tensor<float, 1> dsinks({shape.H});
    for (Tensor<float, 4>* t : {&dk, &dv, &dbias}) std::fill_n(t->data(), t->count(), kNaN);
    std::fill_n(dsinks.data(), dsinks.count(), kNaN);
    attention_backward(p.q, p.k, p.v, p.options(), forward.out, forward.lse, forward.out,
                       {.dk = dk, .dv = dv, .dbias = dbias.view(), .dsinks = dsinks.view()});
    for (Tensor<float, 4>* t : {&dk, &dv, &dbias}) EXPECT_TRUE(same_bits(*t, Tensor<float, 4>(t->sizes())));
    EXPECT_TRUE(same_bits(dsinks, Tensor<float, 1>({shape.H})));
  }
}

TEST(BackwardOutputs, WhatDoesNotFitIsRefusedByName) {
  const Call call;
  const auto& [p, dout, forward] = call;
  Tensor<float, 4> wrong({2, 4, 5, 7});
  Tensor<float, 3> wrong_lse({2, 4, 6});
  Tensor<float, 1> five({5});
  expect_refused("dq", [&] { call.run({.dq = wrong}); });
  expect_refused("dk", [&] { call.run({.dk = wrong}); });
  expect_refused("dv", [&] { call.run({.dv = wrong}); });
  expect_refused("dbias", [&] { call.run({.dbias = wrong.view()}); });
  expect_refused("dsinks", [&] { call.run({.dsinks = five.view()}); });
  expect_refused("dq", [&] { call.run({.dq = FloatOutput(nullptr, Storage::kF32, p.q.sizes(), {1, 1, 1, 1})}); });
  const auto with = [&](FloatView out, TensorView<const float, 3> lse, FloatView arrives,
                        std::optional<TensorView<const float, 3>> dlse = std::nullopt) {
    Tensor<float, 4> dq(p.q.sizes());
    attention_backward(p.q, p.k, p.v, p.options(), out, lse, arrives, {.dq = dq}, dlse);
  };
  expect_refused("out", [&] { with(wrong, forward.lse, dout); });
  expect_refused("lse", [&] { with(forward.out, wrong_lse, dout); });
  expect_refused("dout", [&] { with(forward.out, forward.lse, wrong); });
  expect_refused("dlse", [&] { with(forward.out, forward.lse, dout, wrong_lse.view()); });
  const AttentionResult plain = attention(p.q, p.k, p.v);
  const auto without = [&](const AttentionGradients& to) {
    attention_backward(p.q, p.k, p.v, {}, plain.out, plain.lse, dout, to);
  };
  expect_refused("dbias", [&] { without({.dbias = wrong.view()}); });
  expect_refused("dsinks", [&] { without({.dsinks = five.view()}); });
}

TEST(BackwardOutputs, SharedPagesAreRefused) {
  Problem p = make_problem({.B = 2, .H = 1, .G = 1, .M = 3, .N = 2, .D = 4, .E = 4});
  Random random(1);
  p.k = random_tensor({3, 1, 2, 4}, random), p.v = random_tensor({3, 1, 2, 4}, random);
  p.block_table = Tensor<int64_t, 2>({2, 1});
  p.key_lengths = Tensor<int64_t, 1>({2});
  (*p.key_lengths)(0) = (*p.key_lengths)(1) = 2;
  expect_refused("block_table", [&] { gradients(p, Tensor<float, 4>({2, 1, 3, 4})); });
}

}  // namespace
}  // namespace limelight::testing
