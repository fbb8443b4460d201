// Rows of a decoder's layers: RMS norm, rotary positions, SiLU times another row: branch-free, any count, any
// alignment.
#if defined(LIMELIGHT_KERNELS_DECODER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_DECODER_INL_H_
#undef LIMELIGHT_KERNELS_DECODER_INL_H_
#else
#define LIMELIGHT_KERNELS_DECODER_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "kernels/activation-inl.h"
#include "kernels/exp-inl.h"
#include "kernels/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// y_n = f(a_n, b_n).
template <class F>
HWY_INLINE void MapPairs(const float* a, const float* b, int64_t count, float* y, const F& f) {
  const F32 d;
  int64_t n = 0;
  for (; n + kLanes <= count; n += kLanes) hn::StoreU(f(hn::LoadU(d, a + n), hn::LoadU(d, b + n)), d, y + n);
  if (const int64_t rest = count - n; rest > 0) {
    StoreFirst(f(LoadFirst(a + n, rest), LoadFirst(b + n, rest)), rest, y + n);
  }
}

// y = x / sqrt(mean of x^2 + epsilon) gamma.
void RmsNorm(const float* x, const float* gamma, float epsilon, int64_t channels, float* y) noexcept {
  const F32 d;
  const float squares = SumOver(x, channels, [](Vector v) { return hn::Mul(v, v); });
  const Vector mean = hn::Set(d, squares / static_cast<float>(channels) + epsilon);
  const Vector inverse = hn::Div(hn::Set(d, 1.0f), hn::Sqrt(mean));
  MapPairs(x, gamma, channels, y, [&](Vector v, Vector g) { return hn::Mul(hn::Mul(v, inverse), g); });
}

// Each head turned by the same angles: a' = a cos - b sin, b' = b cos + a sin, a and b its first and second half.
void Rope(const float* x, const float* cosines, const float* sines, int64_t heads, int64_t half, float* y) noexcept {
  const F32 d;
  for (int64_t head = 0; head < heads; ++head, x += 2 * half, y += 2 * half) {
    int64_t n = 0;
    for (; n + kLanes <= half; n += kLanes) {
      const Vector a = hn::LoadU(d, x + n), b = hn::LoadU(d, x + half + n);
      const Vector cosine = hn::LoadU(d, cosines + n), sine = hn::LoadU(d, sines + n);
      hn::StoreU(hn::NegMulAdd(b, sine, hn::Mul(a, cosine)), d, y + n);
      hn::StoreU(hn::MulAdd(a, sine, hn::Mul(b, cosine)), d, y + half + n);
    }
    if (const int64_t rest = half - n; rest > 0) {
      const Vector a = LoadFirst(x + n, rest), b = LoadFirst(x + half + n, rest);
      const Vector cosine = LoadFirst(cosines + n, rest), sine = LoadFirst(sines + n, rest);
      StoreFirst(hn::NegMulAdd(b, sine, hn::Mul(a, cosine)), rest, y + n);
      StoreFirst(hn::MulAdd(a, sine, hn::Mul(b, cosine)), rest, y + half + n);
    }
  }
}

// x / (1 + exp(-x)): with e = exp(-|x|), which cannot overflow, x / (1 + e) or, left of 0, x e / (1 + e). Where e is
// exactly 0 there, so is the result, and infinity times 0 never happens.
HWY_INLINE Vector Silu(Vector x) {
  const F32 d;
  const Vector one = hn::Set(d, 1.0f);
  const Vector e = Exp(d, hn::Neg(hn::Abs(x)));
  const Vector gate = hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, kExpFloor)), hn::Mul(x, gate));
}

void SwiGlu(const float* gate, const float* up, int64_t count, float* y) noexcept {
  MapPairs(gate, up, count, y, [](Vector g, Vector u) { return hn::Mul(Silu(g), u); });
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
