// Plain passes over one row of floats: scaling, sums, a product, a test for NaN and infinity.
#if defined(LIMELIGHT_KERNELS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_ROWS_INL_H_
#undef LIMELIGHT_KERNELS_ROWS_INL_H_
#else
#define LIMELIGHT_KERNELS_ROWS_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "kernels/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

bool Scale(const float* x, float factor, int64_t count, float* y) noexcept {
  const F32 d;
  const Vector zero = hn::Zero(d);
  Vector none = zero;  // 0 x is 0 or -0 for finite x, and NaN for NaN and infinity; NaN stays in a sum
  float rest = 0;
  int64_t n = 0;
  for (; n + kLanes <= count; n += kLanes) {
    const Vector scaled = hn::Add(hn::Mul(hn::LoadU(d, x + n), hn::Set(d, factor)), zero);  // -0 + 0 is 0
    none = hn::MulAdd(scaled, zero, none);
    hn::StoreU(scaled, d, y + n);
  }
  for (; n < count; ++n) {
    y[n] = x[n] * factor + 0.0f;
    rest += y[n] * 0.0f;
  }
  return rest == 0 && hn::AllTrue(d, hn::Eq(none, zero));
}

void Pool(const float* sums, const float* maxima, int64_t count, float* total, float* most) noexcept {
  const F32 d;
  Vector sum = hn::Zero(d);
  Vector max = hn::Set(d, *most);
  int64_t n = 0;
  for (; n + kLanes <= count; n += kLanes) {
    sum = hn::Add(sum, hn::LoadU(d, sums + n));
    max = hn::Max(max, hn::LoadU(d, maxima + n));
  }
  float rest = hn::GetLane(hn::SumOfLanes(d, sum));
  *most = hn::GetLane(hn::MaxOfLanes(d, max));
  for (; n < count; ++n) {
    rest += sums[n];
    *most = std::max(*most, maxima[n]);
  }
  *total += rest;
}

// Sum of x_n y_n, in four chains of vectors.
float Dot(const float* x, const float* y, int64_t count) noexcept {
  const F32 d;
  constexpr int kChains = 4;
  Vector sum[kChains];
  for (int j = 0; j < kChains; ++j) sum[j] = hn::Zero(d);
  int64_t n = 0;
  for (; n + kChains * kLanes <= count; n += kChains * kLanes) {
#pragma GCC unroll 4
    for (int j = 0; j < kChains; ++j) {
      sum[j] = hn::MulAdd(hn::LoadU(d, x + n + j * kLanes), hn::LoadU(d, y + n + j * kLanes), sum[j]);
    }
  }
  for (; n + kLanes <= count; n += kLanes) sum[0] = hn::MulAdd(hn::LoadU(d, x + n), hn::LoadU(d, y + n), sum[0]);
  float rest = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]))));
  for (; n < count; ++n) rest += x[n] * y[n];
  return rest;
}

bool AllFinite(const float* x, int64_t count) noexcept {
  const F32 d;
  // x - x is 0 for finite x and NaN for NaN and infinity; NaN stays in a sum.
  Vector sum = hn::Zero(d);
  int64_t n = 0;
  for (; n + kLanes <= count; n += kLanes) {
    const Vector v = hn::LoadU(d, x + n);
    sum = hn::Add(sum, hn::Sub(v, v));
  }
  float rest = 0;
  for (; n < count; ++n) rest += x[n] - x[n];
  return rest == 0 && hn::AllTrue(d, hn::Eq(sum, hn::Zero(d)));
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
