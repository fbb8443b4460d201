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

using Change = std::function<void(Problem&)>;

OptionProblem changed(std::string name, Problem p, const Change& change) {
  change(p);
  return {std::move(name), std::move(p)};
}

void set_many(Problem& p) {
  p.causal = Causal::kBottomRight, p.window = {3, -1}, p.softcap = 2, p.scale = -0.7f;
  p.sinks = sinks_of(p.shape.H), p.alibi_slopes = slopes_of(p.shape.B, p.shape.H);
  p.bias = bias_of({p.shape.B, 1, p.shape.M, p.shape.N});
  p.dropout = {0.3f, 7, 8};
}

void add_score_options(std::vector<OptionProblem>& all) {
  const auto add = [&](std::string name, const Change& change) {
    all.push_back(changed(std::move(name), make_problem(kShape), change));
  };
  add("window", [](Problem& p) { p.window = {1, 1}; });
  add("scale", [](Problem& p) { p.scale = -0.3f; });
  add("softcap", [](Problem& p) { p.softcap = 1; });
  add("alibi", [](Problem& p) { p.alibi_slopes = slopes_of(2, 4); });
  add("sinks", [](Problem& p) { p.sinks = sinks_of(4), p.key_lengths = list({0, 5}); });
  for (const auto& sizes :
       {std::array<int64_t, 4>{2, 4, 4, 5}, {1, 4, 4, 5}, {2, 1, 1, 5}, {1, 1, 4, 1}, {1, 1, 1, 1}}) {
    add("bias", [&](Problem& p) { p.bias = bias_of(sizes); });
  }
  add("mask", [](Problem& p) {
    Random random(4);
    p.mask = random_mask({2, 1, 4, 5}, 0.4, random);
  });
  add("dropout", [](Problem& p) { p.dropout = {0.5f, 1, 2}; });
  add("many options", set_many);
}

// Queries 0-1 and 2-4 on the pages of the two sequences.
void pack_queries(Problem& p) {
  Random random(6);
  p.shape.B = 1, p.shape.M = 5;
  p.q = random_tensor({1, 4, 5, 3}, random);
  p.cu_q = list({0, 2, 5});
}

}  // namespace

std::vector<OptionProblem> option_problems() {
  std::vector<OptionProblem> all;
  const auto add = [&](std::string name, Problem p, const Change& change) {
    all.push_back(changed(std::move(name), std::move(p), change));
  };
  const Change none = [](Problem&) {};
  add("plain", make_problem(kShape), none);
  add("causal top left", make_problem(kShape), [](Problem& p) { p.causal = Causal::kTopLeft; });
  add("causal bottom right", make_problem({.B = 1, .H = 2, .G = 1, .M = 5, .N = 3, .D = 3, .E = 2}),
      [](Problem& p) { p.causal = Causal::kBottomRight; });
  add_score_options(all);
  add("key lengths", make_problem(kShape), [](Problem& p) {
    p.causal = Causal::kBottomRight, p.key_lengths = list({5, 2});
  });
  add("part", make_problem(kShape), [](Problem& p) {
    p.causal = Causal::kBottomRight, p.part = KeyPart{3, 12}, p.alibi_slopes = slopes_of(1, 4);
  });
  add("packed", packed(), none);
  add("paged", paged(), none);
  add("packed queries on paged keys", paged(), pack_queries);
  add("many options, packed", packed(), set_many);
  add("many options, paged", paged(), set_many);
  return all;
}

}  // namespace limelight::testing
