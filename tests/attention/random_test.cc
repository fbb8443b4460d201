// Problems drawn at random over all options together, against the reference. LIMELIGHT_RANDOM_PROBLEMS=N draws N of
// them; a failure prints the seed and the options.
#include <gtest/gtest.h>

#include "tests/attention/compare.h"
#include "tests/attention/random_problem.h"

namespace limelight::testing {
namespace {

constexpr uint64_t kProblems = 1500;

// In tensors of few numbers the largest error of a naive computation may be lucky. With its own sums in another order
// it exceeds the bound in about one tensor of a thousand, by at most 2.1. So: none beyond 2.5, and few beyond 1.
constexpr double kSlack = 2.5;
constexpr double kFew = 0.01;

AttentionResult attend(const StoredProblem& p, const RandomProblem& r) {
  const auto& [B, H, G, M, N, D, E] = r.problem.shape;
  AttentionResult found{{}, Tensor<float, 3>({B, H, M})};
  const Stored out({B, H, M, E}, r.out.storage, r.out.layout);
  attention(p.q.view(), p.k.view(), p.v.view(), p.options, out.output(), found.lse.view());
  found.out = out.values();
  return found;
}

// Runs check(problem, seed) on each, on every instruction set in turn, until one fails.
template <class Check>
void for_random_problems(const Check& check) {
  const uint64_t count = random_problems(kProblems);
  for (uint64_t seed = 1; seed <= count && !::testing::Test::HasFailure(); ++seed) {
    const RandomProblem r = random_problem(seed);
    const auto& kernels = detail::all_kernels()[seed % detail::all_kernels().size()];
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + kernels.isa + ": " + r.text());
    const detail::ScopedKernels scope(kernels);
    check(r, seed);
  }
}

TEST(Random, OutputAndLseAgreeWithTheReference) {
  double count = 0, beyond = 0;
  for_random_problems([&](const RandomProblem& r, uint64_t) {
    const AttentionResult found = attend(StoredProblem(r), r);
    Judge judge(r.problem, kSlack);
    EXPECT_TRUE(judge.agrees(found, r.out.storage));
    judge.slack = 1;
    beyond += !judge.agrees(found, r.out.storage);
    ++count;
  });
  EXPECT_LE(beyond, 2 + kFew * count);
}

TEST(Random, LensAgreesAndLeavesTheOutputItsBits) {
  for_random_problems([](const RandomProblem& r, uint64_t seed) {
    const StoredProblem p(r);
    const LensRequest request = random_request(r.problem, seed);
    SCOPED_TRACE("top_k " + std::to_string(request.top_k) + " heatmap " + std::to_string(request.heatmap));
    const AttentionResult found = attend(p, r);
    const Stored out(found.out.sizes(), r.out.storage, r.out.layout);
    Tensor<float, 3> lse(found.lse.sizes());
    const LensResult lens =
        attention_and_look(p.q.view(), p.k.view(), p.v.view(), p.options, request, out.output(), lse.view());
    EXPECT_TRUE(same_bits(out.values(), found.out));
    EXPECT_TRUE(same_bits(lse, found.lse));
    EXPECT_TRUE(Judge(r.problem, kSlack).agrees(lens, request));
    LensResult looked = look(p.q.view(), p.k.view(), p.options, request);
    // look() passes over whole rows, where the sinks' share falls off, only if it must.
    if (looked.sink_share.count() == 0) looked.sink_share = lens.sink_share.clone();
    EXPECT_TRUE(same_bits(looked, lens));
  });
}

// Neither batch nor pack, pages, storage, strides or threads show in a sequence's bits.
TEST(Random, SequenceAloneHasTheSameBits) {
  for_random_problems([](const RandomProblem& r, uint64_t seed) {
    if (r.problem.dropout.probability > 0) return;
    const auto sequences = detail::reference_sequences(r.problem.q, r.problem.k, r.problem.options());
    const int64_t s = static_cast<int64_t>(seed % sequences.size());
    const Problem p = alone(r.problem, s);
    AttentionOptions options = p.options();
    options.run.threads = 3;
    const AttentionResult one = attention(p.q, p.k, p.v, options);
    Tensor<float, 4> narrow = one.out.clone();
    for (int64_t n = 0; n < narrow.count(); ++n) narrow.data()[n] = narrowed(narrow.data()[n], r.out.storage);
    const AttentionResult all = attend(StoredProblem(r), r);
    const auto cut = [&](const auto& view) {
      return copy_of(slice(slice(view, 0, sequences[s].batch, 1), 2, sequences[s].first_query, sequences[s].queries));
    };
    EXPECT_TRUE(same_bits(cut(all.out.view()), narrow));
    EXPECT_TRUE(same_bits(cut(all.lse.view()), one.lse));
  });
}

}  // namespace
}  // namespace limelight::testing
