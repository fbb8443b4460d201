// Multiply-adds from registers alone: the peak that every other kernel is measured against.
#if defined(LIMELIGHT_KERNELS_SPIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_SPIN_INL_H_
#undef LIMELIGHT_KERNELS_SPIN_INL_H_
#else
#define LIMELIGHT_KERNELS_SPIN_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

double Spin(int64_t rounds) noexcept {
  const F32 d;
  constexpr int kChains = 12;  // two multiply-adds a cycle times a latency of four, and some to spare
  Vector chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = hn::Set(d, 1.0f + static_cast<float>(i));
  const Vector factor = hn::Set(d, 0.999f);
  const Vector term = hn::Set(d, 1e-3f);
  for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) chain[i] = hn::MulAdd(chain[i], factor, term);
  }
  Vector sum = hn::Zero(d);
  for (int i = 0; i < kChains; ++i) sum = hn::Add(sum, chain[i]);
  // The result is used, so the loop cannot be dropped.
  const double used = hn::GetLane(hn::SumOfLanes(d, sum)) == 0.0f ? 1.0 : 0.0;
  return 2.0 * kChains * static_cast<double>(kLanes) * static_cast<double>(rounds) + used;
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
