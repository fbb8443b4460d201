// Each problem by its own hand: grouped heads, E unlike D, some rows without a key.
#include "tests/attention/option_problems.h"

#include <functional>
#include <limits>
#include <utility>

namespace limelight::testing {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr Shape kShape{.B = 2, .H = 4, .G = 2, .M = 4, .N = 5, .D = 3, .E = 2};

Tensor<int64_t, 1> list(std::initializer_list<int64_t> values) {
  Tensor<int64_t, 1> tensor({static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.data());
  return tensor;
}

Tensor<float, 1> sinks_of(int64_t heads) {
  Tensor<float, 1> sinks({heads});
  for (int64_t h = 0; h < heads; ++h) sinks(h) = h == 1 ? kMinusInfinity : 0.75f * static_cast<float>(h) - 1;
  return sinks;
}

// Odd slopes, one list for every batch entry.
Tensor<float, 2> slopes_of(int64_t batch, int64_t heads) {
  Tensor<float, 2> slopes({batch, heads});
  for (int64_t n = 0; n < slopes.count(); ++n) slopes.data()[n] = 0.25f / static_cast<float>(n + 1);
  return slopes;
}

Tensor<float, 4> bias_of(const std::array<int64_t, 4>& sizes) {
  Random random(2);
  Tensor<float, 4> bias = random_tensor(sizes, random);
  for (int64_t n = 3; n < bias.count(); n += 7) bias.data()[n] = kMinusInfinity;
  return bias;
}

// Queries 0-1, none, 2-4 and keys 0-2, 3, none: a row of queries without keys and a key without queries.
Problem packed() {
  Problem p = make_problem({.B = 1, .H = 4, .G = 2, .M = 5, .N = 6, .D = 3, .E = 2});
  p.cu_q = list({0, 2, 2, 4, 5});
  p.cu_k = list({0, 3, 4, 6, 6});
  return p;
}

// Pages of two keys, one of them spare.
Problem paged() {
  Problem p = make_problem({.B = 2, .H = 4, .G = 2, .M = 4, .N = 6, .D = 3, .E = 2});
  Random random(3);
  p.k = random_tensor({6, 2, 2, 3}, random), p.v = random_tensor({6, 2, 2, 2}, random);
  p.key_lengths = list({5, 2});
  p.block_table = Tensor<int64_t, 2>({2, 3});
  const int64_t pages[] = {4, 0, 3, 2, -1, 1 << 20};
  std::copy(std::begin(pages), std::end(pages), p.block_table->data());
  return p;
}

}  // namespace

std::vector<OptionProblem> option_problems() {
  std::vector<OptionProblem> all;
  const auto add = [&](std::string name, Problem p, const std::function<void(Problem&)>& change = {}) {
    if (change) change(p);
    all.push_back({std::move(name), std::move(p)});
  };
  const auto many = [](Problem& p) {
    p.causal = Causal::kBottomRight, p.window = {3, -1}, p.softcap = 2, p.scale = -0.7f;
    p.sinks = sinks_of(p.shape.H), p.alibi_slopes = slopes_of(p.shape.B, p.shape.H);
    p.bias = bias_of({p.shape.B, 1, p.shape.M, p.shape.N});
    p.dropout = {0.3f, 7, 8};
  };
  add("plain", make_problem(kShape));
  add("causal top left", make_problem(kShape), [](Problem& p) { p.causal = Causal::kTopLeft; });
  add("causal bottom right", make_problem({.B = 1, .H = 2, .G = 1, .M = 5, .N = 3, .D = 3, .E = 2}),
      [](Problem& p) { p.causal = Causal::kBottomRight; });
  add("window", make_problem(kShape), [](Problem& p) { p.window = {1, 1}; });
  add("scale", make_problem(kShape), [](Problem& p) { p.scale = -0.3f; });
  add("softcap", make_problem(kShape), [](Problem& p) { p.softcap = 1; });
  add("alibi", make_problem(kShape), [](Problem& p) { p.alibi_slopes = slopes_of(2, 4); });
  add("sinks", make_problem(kShape), [](Problem& p) {
    p.sinks = sinks_of(4);
    p.key_lengths = list({0, 5});
  });
  for (const auto& sizes :
       {std::array<int64_t, 4>{2, 4, 4, 5}, {1, 4, 4, 5}, {2, 1, 1, 5}, {1, 1, 4, 1}, {1, 1, 1, 1}}) {
    add("bias", make_problem(kShape), [&](Problem& p) { p.bias = bias_of(sizes); });
  }
  add("mask", make_problem(kShape), [](Problem& p) {
    Random random(4);
    p.mask = random_mask({2, 1, 4, 5}, 0.4, random);
  });
  add("key lengths", make_problem(kShape), [](Problem& p) {
    p.causal = Causal::kBottomRight;
    p.key_lengths = list({5, 2});
  });
  add("part", make_problem(kShape), [](Problem& p) {
    p.part = KeyPart{3, 12};
    p.causal = Causal::kBottomRight;
    p.alibi_slopes = slopes_of(1, 4);
  });
  add("dropout", make_problem(kShape), [](Problem& p) { p.dropout = {0.5f, 1, 2}; });
  add("packed", packed());
  add("paged", paged());
  add("packed queries on paged keys", paged(), [](Problem& p) {
    Random random(6);
    p.shape.B = 1, p.shape.M = 5;
    p.q = random_tensor({1, 4, 5, 3}, random);
    p.cu_q = list({0, 2, 5});
  });
  add("many options", make_problem(kShape), many);
  add("many options, packed", packed(), many);
  add("many options, paged", paged(), many);
  return all;
}

}  // namespace limelight::testing
