// Everything that one call gives, forward, lens and gradients, for inputs that once went wrong in public.
//
// The cases in bug_cases_*_test.cc name what must hold; where it was reported not to is cited as owner/repo#number.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "limelight/lens.h"
#include "tests/attention/compare_gradients.h"
#include "tests/attention/problem.h"

namespace limelight::testing {

struct Everything {
  AttentionResult attention;
  LensResult lens;  // whole rows, top-3, received mass, entropy, a heatmap of side 3
  Gradients gradients;
};
::testing::AssertionResult same_bits(const Everything& a, const Everything& b);

// The arguments of a call, wherever they lie.
struct Call {
  FloatView q, k, v;
  AttentionOptions options;
};
Everything everything(const Call& call);
inline Everything everything(const Problem& p) {
  return everything({p.q, p.k, p.v, p.options()});
}

// The gradient that arrives at every call here.
Tensor<float, 4> dout_for(const std::array<int64_t, 4>& sizes);

// Forward, lens and gradients agree with the references under every instruction set, and nothing is NaN.
void expect_exact(const Problem& p, double slack = 1);

// As a row without keys should be: out 0, lse minus infinity, all weights 0 and blocked, dq 0.
void expect_dead(const Everything& found, int64_t b, int64_t h, int64_t i);

// `spoil` writes its argument into what no query may see: whatever it is, not a bit of the call changes.
void expect_unobserved(Problem& p, const std::function<void(Problem&, float)>& spoil);

// The keys that row (b, h, i) sees, by the lens.
std::vector<int64_t> seen_keys(const LensResult& lens, int64_t b, int64_t h, int64_t i);

// Values rounded to the storage, so that a problem in f32 and its copy in 16 bits hold the same numbers.
void narrow(Problem& p, Storage storage);
// Forward and gradients with all tensors in this storage; widened again.
Everything everything_in(const Problem& p, Storage storage);

Tensor<float, 4> filled(const std::array<int64_t, 4>& sizes, float value);
Tensor<int64_t, 1> list_of(const std::vector<int64_t>& values);

}  // namespace limelight::testing
