// Gradients of problems drawn at random over all options together, against the reference, and with themselves on more
// threads. LIMELIGHT_RANDOM_PROBLEMS=N draws N of them.
#include <gtest/gtest.h>

#include "tests/attention/compare_gradients.h"
#include "tests/attention/random_problem.h"

namespace limelight::testing {
namespace {

constexpr uint64_t kProblems = 700;

// As in random_test.cc. With its own sums in another order a naive computation exceeds the bound by at most 1.03.
constexpr double kSlack = 1.5;
constexpr double kFew = 0.01;

// Gradients are stored as their tensors are, laid out likewise.
Gradients backward(const StoredProblem& p, const RandomProblem& r, const Tensor<float, 3>* dlse, int threads) {
  const Problem& problem = r.problem;
  AttentionOptions options = p.options;
  options.run.threads = threads;
  const AttentionResult forward = attention(p.q.view(), p.k.view(), p.v.view(), options);
  const Stored dout(r.dout, r.out.storage, r.out.layout);
  const Stored dq(problem.q.sizes(), r.q.storage, r.q.layout);
  const Stored dk(problem.k.sizes(), r.k.storage, r.k.layout);
  const Stored dv(problem.v.sizes(), r.v.storage, r.v.layout);
  Gradients g;
  AttentionGradients to{.dq = dq.output(), .dk = dk.output(), .dv = dv.output()};
  if (problem.bias) to.dbias = (g.dbias = Tensor<float, 4>(problem.bias->sizes())).view();
  if (problem.sinks) to.dsinks = (g.dsinks = Tensor<float, 1>(problem.sinks->sizes())).view();
  std::optional<TensorView<const float, 3>> arrives;
  if (dlse != nullptr) arrives = dlse->view();
  attention_backward(p.q.view(), p.k.view(), p.v.view(), options, forward.out, forward.lse, dout.view(), to, arrives);
  g.dq = dq.values(), g.dk = dk.values(), g.dv = dv.values();
  return g;
}

TEST(BackwardRandom, GradientsAgreeWithTheReferenceAndHaveTheSameBitsOnThreeThreads) {
  const uint64_t count = random_problems(kProblems);
  double beyond = 0;
  int64_t on_threads = 0;
  for (uint64_t seed = 1; seed <= count && !HasFailure(); ++seed) {
    const RandomProblem r = random_problem(seed);
    if (r.pages_shared) continue;
    const auto& kernels = detail::all_kernels()[seed % detail::all_kernels().size()];
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + kernels.isa + ": " + r.text());
    const detail::ScopedKernels scope(kernels);
    const Tensor<float, 3>* dlse = seed % 2 == 0 ? &r.dlse : nullptr;
    const StoredProblem p(r);
    const Gradients one = backward(p, r, dlse, 1);
    AttentionOptions options = r.problem.options();
    options.run.threads = 3;
    on_threads += explain(r.problem.q, r.problem.k, r.problem.v, options).threads > 1;
    EXPECT_TRUE(same_bits(backward(p, r, dlse, 3), one));
    GradientJudge judge(r.problem, r.dout, dlse, kSlack);
    EXPECT_TRUE(judge.agrees(one, {r.q.storage, r.k.storage, r.v.storage}));
    judge.slack = 1;
    beyond += !judge.agrees(one, {r.q.storage, r.k.storage, r.v.storage});
  }
  EXPECT_LE(beyond, 2 + kFew * static_cast<double>(count));
  EXPECT_GT(on_threads, 0);
}

}  // namespace
}  // namespace limelight::testing
