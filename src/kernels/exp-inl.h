// exp for softmax and for activations, and tanh for the softcap: branch-free.
#if defined(LIMELIGHT_KERNELS_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_EXP_INL_H_
#undef LIMELIGHT_KERNELS_EXP_INL_H_
#else
#define LIMELIGHT_KERNELS_EXP_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Below this exp is exactly 0: 2^n with n = -127 has no exponent bits left.
constexpr float kExpFloor = -88.0f;

// max(x, kExpFloor) that lets a NaN pass.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ClampToFloor(D d, V x) {
  const V floor = hn::Set(d, kExpFloor);
#if HWY_ARCH_X86 && \
    HWY_TARGET != HWY_SCALAR  // of two operands with a NaN, x86 returns the second: one instruction for two
  return hn::Max(floor, x);
#else
  return hn::IfThenElse(hn::Lt(x, floor), floor, x);
#endif
}

// x = n ln 2 + r with |r| <= ln 2 / 2. Adding 1.5 * 2^23 + 127 rounds x / ln 2 to the nearest integer and leaves n +
// 127 in the low bits, ready to become the exponent of 2^n.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void SplitExponent(D d, V x, V& r, V& power) {
  const V magic = hn::Set(d, 12582912.0f + 127.0f);
  const V shifted = hn::MulAdd(x, hn::Set(d, 1.44269504f), magic);
  const V n = hn::Sub(shifted, magic);
#if HWY_NATIVE_FMA
  r = hn::NegMulAdd(n, hn::Set(d, 0.693147181f), x);
#else  // where the product is rounded: in two parts, n times the first is exact
  r = hn::Sub(hn::Sub(x, hn::Mul(n, hn::Set(d, 0.693359375f))), hn::Mul(n, hn::Set(d, -2.12194440e-4f)));
#endif
  const hn::RebindToSigned<D> di;
  power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, shifted)));
}

// e^r = 1 + r q(r): minimax of degree 5 over |r| <= ln 2 / 2 with the constant term held at 1, relative error 9.2e-8.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpQuotient(D d, V r) {
  V q = hn::MulAdd(hn::Set(d, 8.290273137e-03f), r, hn::Set(d, 4.189816490e-02f));
  q = hn::MulAdd(q, r, hn::Set(d, 1.666763872e-01f));
  q = hn::MulAdd(q, r, hn::Set(d, 4.999914765e-01f));
  return hn::MulAdd(q, r, hn::Set(d, 9.999997020e-01f));
}

// exp(x) for x <= 0, and for x up to 88; exactly 0 from kExpFloor down, exactly 1 at 0, NaN stays NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp(D d, V x) {
  x = ClampToFloor(d, x);
  V r, power;
  SplitExponent(d, x, r, power);
  return hn::Mul(hn::MulAdd(ExpQuotient(d, r), r, hn::Set(d, 1.0f)), power);
}

// A softmax weight: as Exp, but near enough to the row's largest, 1, and not to itself: the error is at most
// 1.8e-7 e^x + 2.8e-8, and it is 0 from kExpFloor down, with AVX-512 from -87. There one instruction takes the exponent
// off and one puts it back: two operations a score less, forward at D 64 0.8 points of the peak more.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpWeight(D d, V x) {
#if HWY_TARGET <= HWY_AVX3
  // e^x = 2^floor(y) p(y - floor(y)), y = x / ln 2. p(r) = 1 + r q(r): minimax of degree 5 over [0, 1), relative error
  // 8.2e-8. No weight is subnormal: each product with one would take 40 ns.
  const V y = hn::Mul(x, hn::Set(d, 1.44269504f));
  const auto normal = _mm512_cmp_ps_mask(x.raw, hn::Set(d, -87.0f).raw, _CMP_NLT_UQ);  // or NaN
  const V r{_mm512_reduce_ps(y.raw, _MM_FROUND_TO_NEG_INF)};
  V q = hn::MulAdd(hn::Set(d, 1.867130082e-03f), r, hn::Set(d, 9.017030284e-03f));
  q = hn::MulAdd(q, r, hn::Set(d, 5.579991315e-02f));
  q = hn::MulAdd(q, r, hn::Set(d, 2.401644501e-01f));
  q = hn::MulAdd(q, r, hn::Set(d, 6.931513118e-01f));
  return V{_mm512_maskz_scalef_ps(normal, hn::MulAdd(q, r, hn::Set(d, 1.0f)).raw, y.raw)};
#else
  return Exp(d, x);
#endif
}

// 1 / x for x in [1, 2]: an estimate, refined to the last bits but one or two; a division takes four times as long.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Reciprocal(D d, V x) {
  constexpr int kSteps = HWY_TARGET <= HWY_AVX3 ? 1 : 2;  // from 14 bits, elsewhere from 12 or 8
  const V two = hn::Set(d, 2.0f);
  V y = hn::ApproximateReciprocal(x);
  for (int step = 0; step < kSteps; ++step) y = hn::Mul(y, hn::NegMulAdd(x, y, two));
  return y;
}

// tanh(y / 2) for y <= 0: u / (2 + u), u = exp(y) - 1 = (2^n - 1) + 2^n (e^r - 1): no cancellation near 0, where n is
// 0. There e^r - 1 must be right relative to itself: (e^r - 1) / r to degree 5, relative error 1.1e-8.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V TanhOfHalf(D d, V y) {
  y = ClampToFloor(d, y);
  V r, power;
  SplitExponent(d, y, r, power);
  V q = hn::MulAdd(hn::Set(d, 1.388887409e-03f), r, hn::Set(d, 8.369104937e-03f));
  q = hn::MulAdd(q, r, hn::Set(d, 4.166713730e-02f));
  q = hn::MulAdd(q, r, hn::Set(d, 1.666650623e-01f));
  q = hn::MulAdd(q, r, hn::Set(d, 4.999999702e-01f));
  const V e = hn::MulAdd(hn::Mul(q, r), r, r);
  const V u = hn::MulAdd(e, power, hn::Sub(power, hn::Set(d, 1.0f)));
  return hn::Mul(u, Reciprocal(d, hn::Add(u, hn::Set(d, 2.0f))));
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
