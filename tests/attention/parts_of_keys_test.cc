// Attention over parts of the keys, merged, is attention over all of them; and so is its gradient.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "limelight/merge.h"
#include "tests/attention/compare.h"
#include "tests/attention/compare_gradients.h"
#include "tests/attention/parts.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

constexpr Shape kShape{.B = 1, .H = 4, .G = 2, .M = 17, .N = 900, .D = 16, .E = 12};

// One for each option that parts take.
std::vector<Problem> assorted(const Shape& shape) {
  std::vector<Problem> all;
  Random random(41);
  for (uint64_t kind = 0; kind < 7; ++kind) {
    Problem p = make_problem(shape, 50 + kind);
    if (kind == 1) p.causal = Causal::kBottomRight;
    if (kind == 2) p.causal = Causal::kTopLeft;
    if (kind == 3) p.window = {.left = shape.N / 2, .right = 3};
    if (kind == 4) p.bias = random_tensor({1, shape.H, shape.M, shape.N}, random), p.softcap = 3;
    if (kind == 5) p.mask = random_mask({shape.B, 1, shape.M, shape.N}, 0.05, random);
    if (kind == 6) {
      p.alibi_slopes = Tensor<float, 2>({1, shape.H});
      for (int64_t h = 0; h < shape.H; ++h) (*p.alibi_slopes)(0, h) = 0.01f * static_cast<float>(h);
    }
    all.push_back(std::move(p));
  }
  return all;
}

// The problem of keys [begin, end) alone.
Problem part_of(const Problem& p, int64_t begin, int64_t end) {
  const auto cut = [&](const auto& tensor, int axis) {
    return copy_of(slice(tensor.view(), axis, begin, end - begin, true));
  };
  Problem part;
  part.shape = p.shape;
  part.shape.N = end - begin;
  part.causal = p.causal, part.window = p.window, part.softcap = p.softcap;
  part.q = p.q.clone(), part.k = cut(p.k, 2), part.v = cut(p.v, 2);
  if (p.bias) part.bias = cut(*p.bias, 3);
  if (p.mask) part.mask = cut(*p.mask, 3);
  if (p.alibi_slopes) part.alibi_slopes = p.alibi_slopes->clone();
  part.part = KeyPart{begin, p.shape.N};
  return part;
}

std::vector<Problem> parts_at(const Problem& p, const std::vector<int64_t>& borders) {
  std::vector<Problem> parts;
  for (size_t n = 0; n + 1 < borders.size(); ++n) parts.push_back(part_of(p, borders[n], borders[n + 1]));
  return parts;
}

Results results_of(const std::vector<Problem>& parts) {
  Results results;
  for (const Problem& part : parts) results.push_back(part.attend());
  return results;
}

TEST(PartsOfKeys, MergedAgreeWithTheWhole) {
  for (const Problem& p : assorted(kShape)) {
    const Judge judge(p);
    for (const auto& borders : std::vector<std::vector<int64_t>>{
             {0, 450, 900}, {0, 512, 900}, {0, 0, 1, 899, 900}, {0, 100, 300, 301, 777, 900}}) {
      const AttentionResult whole = merge(parts_of(results_of(parts_at(p, borders))));
      EXPECT_TRUE(judge.agrees(whole)) << p.text() << " first border " << borders[1];
    }
  }
}

TEST(PartsOfKeys, ASinkIsAPartOfItsOwn) {
  Problem p = make_problem(kShape, 60);
  std::vector<Problem> parts = parts_at(p, {0, 450, 900});
  Results results = results_of(parts);
  AttentionResult sink = empty_result(results[0].out.sizes());
  p.sinks = Tensor<float, 1>({4});
  for (int64_t h = 0; h < 4; ++h) (*p.sinks)(h) = static_cast<float>(3 * h);
  for (int64_t n = 0; n < sink.lse.count(); ++n) sink.lse.data()[n] = (*p.sinks)(n / kShape.M % 4);
  results.push_back(std::move(sink));
  EXPECT_TRUE(Judge(p).agrees(merge(parts_of(results))));
}

// Gradients of the parts, each from what merge_backward() sends it: dq and alike are added, dk and alike stand in a
// row.
Gradients gradients_by_parts(const Problem& p, const std::vector<int64_t>& borders, const Tensor<float, 4>& dout,
                             const Tensor<float, 3>& dlse) {
  const std::vector<Problem> parts = parts_at(p, borders);
  const Results results = results_of(parts);
  const AttentionResult whole = merge(parts_of(results));
  const auto arriving = merge_backward(parts_of(results), whole.out, whole.lse, dout, dlse.view());
  Gradients sum{Tensor<float, 4>(p.q.sizes()), Tensor<float, 4>(p.k.sizes()), Tensor<float, 4>(p.v.sizes()), {}, {}};
  if (p.bias) sum.dbias = Tensor<float, 4>(p.bias->sizes());
  const auto place = [](const Tensor<float, 4>& part, Tensor<float, 4>& in, int axis, int64_t begin) {
    const auto view = slice(in.view(), axis, begin, part.sizes()[axis]);
    const auto [a, b, c, d] = part.sizes();
    for (int64_t n = 0; n < part.count(); ++n) {
      view(n / (b * c * d), n / (c * d) % b, n / d % c, n % d) = part.data()[n];
    }
  };
  for (size_t n = 0; n < parts.size(); ++n) {
    const Gradients found = gradients(parts[n], arriving[n].dout, &arriving[n].dlse);
    for (int64_t e = 0; e < sum.dq.count(); ++e) sum.dq.data()[e] += found.dq.data()[e];
    place(found.dk, sum.dk, 2, borders[n]);
    place(found.dv, sum.dv, 2, borders[n]);
    if (p.bias) place(found.dbias, sum.dbias, 3, borders[n]);
  }
  return sum;
}

TEST(PartsOfKeys, GradientsThroughTheMergeAgreeWithThoseOfTheWhole) {
  const Shape shape{.B = 2, .H = 4, .G = 2, .M = 20, .N = 120, .D = 16, .E = 12};
  Random random(61);
  const Tensor<float, 4> dout = random_tensor({2, 4, 20, 12}, random);
  const Tensor<float, 3> dlse = random_lse({2, 4, 20, 1}, random, 1);
  for (const Problem& p : assorted(shape)) {
    const GradientJudge judge(p, dout, &dlse);
    for (const auto& borders : std::vector<std::vector<int64_t>>{{0, 60, 120}, {0, 0, 7, 100, 120}}) {
      EXPECT_TRUE(judge.agrees(gradients_by_parts(p, borders, dout, dlse))) << p.text() << " border " << borders[1];
    }
  }
}

}  // namespace
}  // namespace limelight::testing
