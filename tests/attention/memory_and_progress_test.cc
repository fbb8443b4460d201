// O(T): what a call and its lens add to resident memory; and progress that rises, or cancels.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "limelight/error.h"
#include "tests/attention/compare.h"
#include "tests/attention/problem.h"

namespace limelight::testing {
namespace {

constexpr int64_t kMebibyte = 1024;  // ru_maxrss counts KiB

int64_t peak() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// How much `body` raises the peak of resident memory, in KiB, measured in a child so that tests before do not hide it.
template <class Prepare, class Body>
int64_t growth(const Prepare& prepare, const Body& body) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    auto prepared = prepare();
    const int64_t before = peak();
    body(prepared);
    const int64_t grown = peak() - before;
    const bool written = write(ends[1], &grown, sizeof(grown)) == sizeof(grown);
    _exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  int64_t grown = -1;
  if (read(ends[0], &grown, sizeof(grown)) != sizeof(grown)) grown = -1;
  ::close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return grown;
}

Problem long_causal() {
  Problem p = make_problem({.M = 16384, .N = 16384, .D = 8, .E = 8});
  p.causal = Causal::kBottomRight;
  p.window = {.left = 600, .right = 0};
  return p;
}

// T x T floats would be 1 GiB here; even T x 512 would be 32 MiB.
TEST(Memory, ACallStaysFarBelowTheMatrix) {
  const int64_t grown = growth(long_causal, [](const Problem& p) {
    Tensor<float, 4> out({1, 1, 16384, 8});
    AttentionOptions options = p.options();
    options.run.threads = 1;
    attention(p.q, p.k, p.v, options, out);
  });
  EXPECT_GE(grown, 0);
  EXPECT_LT(grown, 6 * kMebibyte);
}

TEST(Memory, ALensStaysFarBelowTheMatrix) {
  const int64_t grown = growth(long_causal, [](const Problem& p) {
    AttentionOptions options = p.options();
    options.run.threads = 1;
    look(p.q, p.k, options, {.rows = {0, 100, -1}, .top_k = 8, .received = true, .entropy = true, .heatmap = 64});
  });
  EXPECT_GE(grown, 0);
  EXPECT_LT(grown, 12 * kMebibyte);
}

std::vector<double> progress_of(int threads, const LensRequest& request) {
  const Problem p = make_problem({.B = 2, .H = 4, .G = 4, .M = 300, .N = 700, .D = 8, .E = 8});
  std::vector<double> reports;
  AttentionOptions options = p.options();
  options.run = {threads, [&](double done) {
                   reports.push_back(done);
                   return true;
                 }};
  Tensor<float, 4> out({2, 4, 300, 8});
  attention_and_look(p.q, p.k, p.v, options, request, out);
  return reports;
}

TEST(Progress, RisesToOne) {
  for (int threads : {1, 2, 3}) {
    for (const LensRequest& request : {LensRequest{}, LensRequest{.received = true}, LensRequest{.heatmap = 3}}) {
      const std::vector<double> reports = progress_of(threads, request);
      ASSERT_GE(reports.size(), 8u);
      EXPECT_TRUE(std::is_sorted(reports.begin(), reports.end()));
      EXPECT_GT(reports.front(), 0);
      EXPECT_DOUBLE_EQ(reports.back(), 1);
    }
  }
}

TEST(Progress, SayingNoCancelsAndTheNextCallIsWhole) {
  const Problem p = make_problem({.B = 2, .H = 4, .G = 4, .M = 300, .N = 700, .D = 8, .E = 8});
  const AttentionResult expected = p.attend();
  for (int threads : {1, 2}) {
    int asked = 0;
    AttentionOptions options = p.options();
    options.run = {threads, [&](double) { return ++asked < 3; }};
    EXPECT_THROW(attention(p.q, p.k, p.v, options), Cancelled);
    EXPECT_LE(asked, 3 + threads);
    EXPECT_THROW(look(p.q, p.k, options, {.received = true}), Cancelled);
    EXPECT_TRUE(same_bits(p.attend(), expected));
  }
}

}  // namespace
}  // namespace limelight::testing
