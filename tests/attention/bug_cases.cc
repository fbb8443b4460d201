// One call forward, looked at and backward, from views of any storage.
#include "tests/attention/bug_cases.h"

#include "tests/attention/stored.h"

namespace limelight::testing {
namespace {

LensRequest whole_request(int64_t queries) {
  LensRequest request{.top_k = 3, .received = true, .entropy = true, .heatmap = 3};
  for (int64_t i = 0; i < queries; ++i) request.rows.push_back(i);
  return request;
}

template <int Rank>
bool all_numbers(const Tensor<float, Rank>& tensor) {
  for (int64_t n = 0; n < tensor.count(); ++n) {
    if (std::isnan(tensor.data()[n])) return false;
  }
  return true;
}

void expect_numbers(const Everything& found) {
  EXPECT_TRUE(all_numbers(found.attention.out) && all_numbers(found.attention.lse)) << "NaN forward";
  EXPECT_TRUE(all_numbers(found.lens.rows) && all_numbers(found.lens.received) && all_numbers(found.lens.entropy) &&
              all_numbers(found.lens.heatmap_sum) && all_numbers(found.lens.top_weight))
      << "NaN in the lens";
  EXPECT_TRUE(all_numbers(found.gradients.dq) && all_numbers(found.gradients.dk) && all_numbers(found.gradients.dv) &&
              all_numbers(found.gradients.dbias) && all_numbers(found.gradients.dsinks))
      << "NaN backward";
}

Gradients gradients_of(const Call& call, const AttentionResult& forward, FloatView dout) {
  Gradients g{Tensor<float, 4>(call.q.sizes), Tensor<float, 4>(call.k.sizes), Tensor<float, 4>(call.v.sizes), {}, {}};
  AttentionGradients to{.dq = g.dq, .dk = g.dk, .dv = g.dv};
  if (call.options.bias) to.dbias = (g.dbias = Tensor<float, 4>(call.options.bias->sizes)).view();
  if (call.options.sinks) to.dsinks = (g.dsinks = Tensor<float, 1>(call.options.sinks->sizes)).view();
  attention_backward(call.q, call.k, call.v, call.options, forward.out, forward.lse, dout, to);
  return g;
}

}  // namespace

::testing::AssertionResult same_bits(const Everything& a, const Everything& b) {
  if (auto r = same_bits(a.attention, b.attention); !r) return r;
  if (auto r = same_bits(a.lens, b.lens); !r) return r;
  return same_bits(a.gradients, b.gradients);
}

Everything everything(const Call& call) {
  AttentionResult forward = attention(call.q, call.k, call.v, call.options);
  LensResult lens = look(call.q, call.k, call.options, whole_request(call.q.sizes[2]));
  const Tensor<float, 4> dout = dout_for(forward.out.sizes());
  Gradients gradients = gradients_of(call, forward, dout);
  return {std::move(forward), std::move(lens), std::move(gradients)};
}

Tensor<float, 4> dout_for(const std::array<int64_t, 4>& sizes) {
  Random random(11);
  return random_tensor(sizes, random);
}

void expect_exact(const Problem& p, double slack) {
  SCOPED_TRACE(p.text());
  const Judge judge(p, slack);
  const GradientJudge gradient_judge(p, dout_for(judge.exact.out.sizes()), nullptr, slack);
  under_every_isa([&] {
    const Everything found = everything(p);
    EXPECT_TRUE(judge.agrees(found.attention));
    EXPECT_TRUE(judge.agrees(found.lens, whole_request(p.shape.M)));
    EXPECT_TRUE(gradient_judge.agrees(found.gradients));
    expect_numbers(found);
  });
}

void expect_dead(const Everything& found, int64_t b, int64_t h, int64_t i) {
  EXPECT_EQ(found.attention.lse(b, h, i), -kInfinity) << "row " << i;
  for (int64_t e = 0; e < found.attention.out.sizes()[3]; ++e) EXPECT_EQ(found.attention.out(b, h, i, e), 0);
  for (int64_t d = 0; d < found.gradients.dq.sizes()[3]; ++d) EXPECT_EQ(found.gradients.dq(b, h, i, d), 0);
  for (int64_t j = 0; j < found.lens.rows.sizes()[3]; ++j) {
    EXPECT_EQ(found.lens.rows(b, h, i, j), 0) << "row " << i << " key " << j;
    EXPECT_EQ(found.lens.rows_blocked(b, h, i, j), 1) << "row " << i << " key " << j;
  }
}

void expect_unobserved(Problem& p, const std::function<void(Problem&, float)>& spoil) {
  SCOPED_TRACE(p.text());
  under_every_isa([&] {
    spoil(p, 0);
    const Everything expected = everything(p);
    for (float x : {1e10f, 3e38f, kInfinity, -kInfinity, kNaN}) {
      spoil(p, x);
      EXPECT_TRUE(same_bits(everything(p), expected)) << x;
    }
  });
}

std::vector<int64_t> seen_keys(const LensResult& lens, int64_t b, int64_t h, int64_t i) {
  std::vector<int64_t> keys;
  for (int64_t j = 0; j < lens.rows_blocked.sizes()[3]; ++j) {
    if (lens.rows_blocked(b, h, i, j) == 0) keys.push_back(j);
  }
  return keys;
}

void narrow(Problem& p, Storage storage) {
  for (Tensor<float, 4>* tensor : {&p.q, &p.k, &p.v}) {
    for (int64_t n = 0; n < tensor->count(); ++n) tensor->data()[n] = narrowed(tensor->data()[n], storage);
  }
}

Everything everything_in(const Problem& p, Storage storage) {
  const Stored q(p.q, storage, {}), k(p.k, storage, {}), v(p.v, storage, {});
  const Call call{q.view(), k.view(), v.view(), p.options()};
  Everything found = everything(call);
  const Stored out(found.attention.out.sizes(), storage, {});
  attention(call.q, call.k, call.v, call.options, out.output());
  found.attention.out = out.values();
  const Stored dout(dout_for(found.attention.out.sizes()), storage, {});
  const Stored dq(p.q.sizes(), storage, {}), dk(p.k.sizes(), storage, {}), dv(p.v.sizes(), storage, {});
  attention_backward(call.q, call.k, call.v, call.options, out.view(), found.attention.lse, dout.view(),
                     {.dq = dq.output(), .dk = dk.output(), .dv = dv.output()});
  found.gradients.dq = dq.values(), found.gradients.dk = dk.values(), found.gradients.dv = dv.values();
  return found;
}

Tensor<float, 4> filled(const std::array<int64_t, 4>& sizes, float value) {
  Tensor<float, 4> tensor(sizes);
  std::fill_n(tensor.data(), tensor.count(), value);
  return tensor;
}

Tensor<int64_t, 1> list_of(const std::vector<int64_t>& values) {
  Tensor<int64_t, 1> list({static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), list.data());
  return list;
}

}  // namespace limelight::testing
