// The gradients of the reference against the slopes of its forward pass, in double, over every option.
#include <gtest/gtest.h>

#include <cmath>

#include "attention/reference_backward.h"
#include "tests/attention/compare.h"
#include "tests/attention/option_problems.h"

namespace limelight::testing {
namespace {

// Every input is a multiple of 2^-10 and every step a power of two, so that the f32 inputs move by exactly the step.
constexpr float kGrid = 0x1p-10f;
constexpr float kStep = 0x1p-6f;

// Four points: the error is step^4 / 30 times a fifth derivative, about 2e-9 times some hundreds.
constexpr double kBound = 5e-7;

void to_grid(float* x, int64_t count) {
  for (int64_t n = 0; n < count; ++n) {
    if (std::isfinite(x[n])) x[n] = std::round(x[n] / kGrid) * kGrid;
  }
}

struct Slopes {
  Problem p;
  Tensor<float, 4> dout;
  Tensor<float, 3> dlse;

  explicit Slopes(Problem from) : p(std::move(from)) {
    Random random(5);
    dout = random_tensor({p.shape.B, p.shape.H, p.shape.M, p.shape.E}, random);
    const Tensor<float, 4> each = random_tensor({p.shape.B, p.shape.H, p.shape.M, 1}, random);
    dlse = Tensor<float, 3>({p.shape.B, p.shape.H, p.shape.M});
    std::copy_n(each.data(), each.count(), dlse.data());
    for (Tensor<float, 4>* t : {&p.q, &p.k, &p.v}) to_grid(t->data(), t->count());
    if (p.bias) to_grid(p.bias->data(), p.bias->count());
    if (p.sinks) to_grid(p.sinks->data(), p.sinks->count());
  }

  // dout . out + dlse . lse, of the rows that have an lse.
  double loss() const {
    const auto a = detail::reference_attention<double>(p.q, p.k, p.v, p.options());
    double sum = 0;
    for (int64_t n = 0; n < a.out.count(); ++n) sum += static_cast<double>(dout.data()[n]) * a.out.data()[n];
    for (int64_t n = 0; n < a.lse.count(); ++n) {
      if (std::isfinite(a.lse.data()[n])) sum += static_cast<double>(dlse.data()[n]) * a.lse.data()[n];
    }
    return sum;
  }

  double slope(float& x) {
    const float middle = x;
    const auto at = [&](float steps) {
      x = middle + steps * kStep;
      const double value = loss();
      x = middle;
      return value;
    };
    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * static_cast<double>(kStep));
  }

  // Each element of `gradient` is the slope of the same element of `input`.
  template <int Rank>
  void expect_slopes(const char* name, Tensor<float, Rank>& input, const Tensor<double, Rank>& gradient) {
    ASSERT_EQ(input.sizes(), gradient.sizes()) << name;
    for (int64_t n = 0; n < input.count(); ++n) {
      float& x = input.data()[n];
      const double expected = std::isfinite(x) ? slope(x) : 0;
      ASSERT_NEAR(gradient.data()[n], expected, kBound) << name << " " << n;
    }
  }
};

TEST(CentralDifference, EveryGradientOfTheReferenceIsASlope) {
  for (OptionProblem& option : option_problems()) {
    SCOPED_TRACE(option.name + ": " + option.problem.text());
    Slopes slopes(std::move(option.problem));
    Problem& p = slopes.p;
    const auto exact = detail::reference_backward<double>(p.q, p.k, p.v, p.options(), slopes.dout, slopes.dlse.view());
    slopes.expect_slopes("dq", p.q, exact.dq);
    slopes.expect_slopes("dk", p.k, exact.dk);
    slopes.expect_slopes("dv", p.v, exact.dv);
    if (p.bias) slopes.expect_slopes("dbias", *p.bias, exact.dbias);
    if (p.sinks) slopes.expect_slopes("dsinks", *p.sinks, exact.dsinks);
  }
}

}  // namespace
}  // namespace limelight::testing
