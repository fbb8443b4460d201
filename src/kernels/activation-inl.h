// Layer norm of a row, and GELU of each element: branch-free, any count, any alignment.
#if defined(LIMELIGHT_KERNELS_ACTIVATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_ACTIVATION_INL_H_
#undef LIMELIGHT_KERNELS_ACTIVATION_INL_H_
#else
#define LIMELIGHT_KERNELS_ACTIVATION_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernels/exp-inl.h"
#include "kernels/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The first `count` lanes from x and 0 in the others. Highway's MaskedLoad may read a whole vector before AVX-512.
HWY_INLINE Vector LoadFirst(const float* x, int64_t count) {
  HWY_ALIGN float scratch[kLanes] = {};
  std::memcpy(scratch, x, static_cast<size_t>(count) * sizeof(float));
  return hn::Load(F32(), scratch);
}

HWY_INLINE void StoreFirst(Vector v, int64_t count, float* y) {
  HWY_ALIGN float scratch[kLanes];
  hn::Store(v, F32(), scratch);
  std::memcpy(y, scratch, static_cast<size_t>(count) * sizeof(float));
}

// Sum of f(x_n). Term n has its own lane and its own turn, counted from the row's start.
template <class F>
HWY_INLINE float SumOver(const float* x, int64_t count, const F& f) {
  const F32 d;
  constexpr int kChains = 4;  // as many as an addition takes cycles
  Vector sum[kChains];
#pragma GCC unroll 4
  for (int j = 0; j < kChains; ++j) sum[j] = hn::Zero(d);
  int64_t n = 0;
  for (; n + kChains * kLanes <= count; n += kChains * kLanes) {
#pragma GCC unroll 4
    for (int j = 0; j < kChains; ++j) sum[j] = hn::Add(sum[j], f(hn::LoadU(d, x + n + j * kLanes)));
  }
  for (; n + kLanes <= count; n += kLanes) sum[0] = hn::Add(sum[0], f(hn::LoadU(d, x + n)));
  if (n < count) {
    const auto inside = hn::FirstN(d, static_cast<size_t>(count - n));
    sum[1] = hn::Add(sum[1], hn::IfThenElseZero(inside, f(LoadFirst(x + n, count - n))));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]))));
}

// y = (x - mean) / sqrt(var + epsilon) gamma + beta; the variance from x - mean, since sum x^2 - C mean^2 cancels.
void LayerNorm(const float* x, const float* gamma, const float* beta, float epsilon, int64_t channels,
               float* y) noexcept {
  const F32 d;
  const float count = static_cast<float>(channels);
  const Vector mean = hn::Set(d, SumOver(x, channels, [](Vector v) { return v; }) / count);
  const float squares = SumOver(x, channels, [&](Vector v) {
    const Vector centred = hn::Sub(v, mean);
    return hn::Mul(centred, centred);
  });
  const Vector inverse = hn::Div(hn::Set(d, 1.0f), hn::Sqrt(hn::Set(d, squares / count + epsilon)));
  const auto normalise = [&](Vector v, Vector g, Vector b) {
    return hn::MulAdd(hn::Mul(hn::Sub(v, mean), inverse), g, b);
  };
  int64_t n = 0;
  for (; n + kLanes <= channels; n += kLanes) {
    hn::StoreU(normalise(hn::LoadU(d, x + n), hn::LoadU(d, gamma + n), hn::LoadU(d, beta + n)), d, y + n);
  }
  if (const int64_t rest = channels - n; rest > 0) {
    StoreFirst(normalise(LoadFirst(x + n, rest), LoadFirst(gamma + n, rest), LoadFirst(beta + n, rest)), rest, y + n);
  }
}

// Both forms are gelu(x) = max(x, 0) - a gate(-a), a = |x|, with gate(-a) in (0, 1/2]: nothing cancels in the left
// tail, where 1 + erf would. From a = 13.5 on both gates are exactly 0, so a may stop there and infinity times 0 never
// happens.
template <class Gate>
HWY_INLINE Vector GeluOf(Vector x, const Gate& gate) {
  const F32 d;
  const Vector a = hn::Min(hn::Set(d, 13.5f), hn::Abs(x));
  // Not Max: Highway's scalar target drops a NaN there.
  return hn::NegMulAdd(a, gate(a), hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x));
}

// (1 + erf(-a / sqrt 2)) / 2 = exp(p(a)). Its logarithm is nearly a parabola: p is a least-squares fit of degree 9 in
// double over [0, 13.5], p(0) = -ln 2 held, reweighted (Lawson) until level, the weight of an error being a exp(p) + a
// floor of 1e-7. With these rounded coefficients a exp(p) is wrong by at most 2.9e-8 (absolute); p(13.5) = -94.4. Even
// and odd powers apart halve the chain of dependent steps.
HWY_INLINE Vector GateErf(Vector a) {
  constexpr float kEven[] = {-9.239279279e-07f, -4.658638500e-05f, 5.203790497e-03f, -3.182129562e-01f,
                             -6.931471825e-01f};
  constexpr float kOdd[] = {2.539798771e-08f, 1.168828931e-05f, -3.117355227e-04f, -3.662104532e-02f,
                            -7.978968024e-01f};
  const F32 d;
  const Vector square = hn::Mul(a, a);
  Vector even = hn::Set(d, kEven[0]);
  Vector odd = hn::Set(d, kOdd[0]);
#pragma GCC unroll 4
  for (int i = 1; i < 5; ++i) {
    even = hn::MulAdd(even, square, hn::Set(d, kEven[i]));
    odd = hn::MulAdd(odd, square, hn::Set(d, kOdd[i]));
  }
  return Exp(d, hn::MulAdd(odd, a, even));
}

// (1 + tanh(-u)) / 2 = e / (1 + e), e = exp(-2u), u = sqrt(2 / pi) (a + 0.044715 a^3).
HWY_INLINE Vector GateTanh(Vector a) {
  const F32 d;
  constexpr float kLinear = -1.595769122f;  // -2 sqrt(2 / pi)
  constexpr float kCubic = -0.0713548163f;  // 0.044715 times that
  const Vector e = Exp(d, hn::Mul(a, hn::MulAdd(hn::Mul(a, a), hn::Set(d, kCubic), hn::Set(d, kLinear))));
  return hn::Div(e, hn::Add(e, hn::Set(d, 1.0f)));
}

template <class F>
HWY_INLINE void MapOver(const float* x, int64_t count, float* y, const F& f) {
  const F32 d;
  int64_t n = 0;
  for (; n + kLanes <= count; n += kLanes) hn::StoreU(f(hn::LoadU(d, x + n)), d, y + n);
  if (n < count) StoreFirst(f(LoadFirst(x + n, count - n)), count - n, y + n);
}

void GeluErf(const float* x, int64_t count, float* y) noexcept {
  MapOver(x, count, y, [](Vector v) { return GeluOf(v, [](Vector a) { return GateErf(a); }); });
}

void GeluTanh(const float* x, int64_t count, float* y) noexcept {
  MapOver(x, count, y, [](Vector v) { return GeluOf(v, [](Vector a) { return GateTanh(a); }); });
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
