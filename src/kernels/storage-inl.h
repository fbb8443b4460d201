// Rows of f16 and bf16 to and from f32, bit for bit core/storage.cc.
#if defined(LIMELIGHT_KERNELS_STORAGE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_STORAGE_INL_H_
#undef LIMELIGHT_KERNELS_STORAGE_INL_H_
#else
#define LIMELIGHT_KERNELS_STORAGE_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"
#include "kernels/product-inl.h"
#include "limelight/storage.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using BitsTag = hn::RebindToSigned<F32>;
using Bits = hn::Vec<BitsTag>;
using HalfTag = hn::Rebind<uint16_t, F32>;
using Half = hn::Vec<HalfTag>;

HWY_INLINE Bits SetBits(uint32_t bits) {
  return hn::Set(BitsTag(), static_cast<int32_t>(bits));
}

// x / 2^kShift for x >= 0, rounded to nearest, ties to even.
template <int kShift>
HWY_INLINE Bits ShiftRounded(Bits x) {
  const Bits odd = hn::And(hn::ShiftRight<kShift>(x), SetBits(1));
  return hn::ShiftRight<kShift>(hn::Add(hn::Add(x, SetBits((1u << (kShift - 1)) - 1)), odd));
}

// The 15 bits of a number without its sign, and the sign of x.
HWY_INLINE Half WithSign(Bits half, Bits x) {
  const hn::RebindToUnsigned<F32> du;
  const Bits sign = hn::BitCast(BitsTag(), hn::ShiftRight<16>(hn::BitCast(du, hn::And(x, SetBits(0x80000000u)))));
  return hn::DemoteTo(HalfTag(), hn::Or(half, sign));
}

// The formats: a vector of lanes to f32, and back.
struct F32Format {
  using Lane = float;
  static HWY_INLINE Vector ToFloat(Vector x) { return x; }
  static HWY_INLINE Vector FromFloat(Vector x) { return x; }
};

struct Bf16Format {
  using Lane = uint16_t;
  static HWY_INLINE Vector ToFloat(Half x) {
    return hn::BitCast(F32(), hn::ShiftLeft<16>(hn::PromoteTo(BitsTag(), x)));
  }
  static HWY_INLINE Half FromFloat(Vector x) {
    const Bits bits = hn::BitCast(BitsTag(), x);
    const Bits magnitude = hn::And(bits, SetBits(0x7fffffffu));
    const Bits nan = hn::Or(hn::ShiftRight<16>(magnitude), SetBits(0x40u));
    return WithSign(hn::IfThenElse(hn::Gt(magnitude, SetBits(0x7f800000u)), nan, ShiftRounded<16>(magnitude)), bits);
  }
};

struct F16Format {
  using Lane = uint16_t;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)  // measured: a quarter of the time
  static HWY_INLINE Vector ToFloat(Half x) {
    return hn::PromoteTo(F32(), hn::BitCast(hn::Rebind<hwy::float16_t, F32>(), x));
  }
#else
  // Normal numbers want the difference of the biases in their exponent. Subnormal ones are put behind 2^-14 and freed
  // of it by a subtraction; a multiplication by 2^112 would do for both, but is 25 times as slow where the factor is
  // subnormal.
  static HWY_INLINE Vector ToFloat(Half x) {
    const Bits bits = hn::PromoteTo(BitsTag(), x);
    const Bits magnitude = hn::ShiftLeft<13>(hn::And(bits, SetBits(0x7fffu)));
    const auto special = hn::Gt(magnitude, SetBits(0x0f7fffffu));
    const auto nan = hn::Gt(magnitude, SetBits(0x0f800000u));
    Bits y = hn::Add(magnitude, SetBits(0x38000000u));
    y = hn::Or(y, hn::IfThenElseZero(special, SetBits(0x7f800000u)));
    y = hn::Or(y, hn::IfThenElseZero(nan, SetBits(0x00400000u)));
    const Vector behind = hn::BitCast(F32(), hn::Add(magnitude, SetBits(0x38800000u)));
    const Bits freed = hn::BitCast(BitsTag(), hn::Sub(behind, hn::Set(F32(), 0x1p-14f)));
    y = hn::IfThenElse(hn::Lt(magnitude, SetBits(0x00800000u)), freed, y);
    return hn::BitCast(F32(), hn::Or(y, hn::ShiftLeft<16>(hn::And(bits, SetBits(0x8000u)))));
  }
#endif
  static HWY_INLINE Half FromFloat(Vector x) {
    const Bits bits = hn::BitCast(BitsTag(), x);
    const Bits magnitude = hn::And(bits, SetBits(0x7fffffffu));
    const Bits normal = ShiftRounded<13>(hn::Sub(magnitude, SetBits(0x38000000u)));
    // Adding 1/2 leaves the number, rounded to a multiple of 2^-24, in the low bits.
    const Vector behind = hn::Add(hn::BitCast(F32(), magnitude), hn::Set(F32(), 0.5f));
    const Bits subnormal = hn::Sub(hn::BitCast(BitsTag(), behind), SetBits(0x3f000000u));
    const Bits nan = hn::Or(hn::And(hn::ShiftRight<13>(magnitude), SetBits(0x1ffu)), SetBits(0x7e00u));
    Bits half = hn::IfThenElse(hn::Lt(magnitude, SetBits(0x38800000u)), subnormal, normal);
    half = hn::Min(half, SetBits(0x7c00u));
    return WithSign(hn::IfThenElse(hn::Gt(magnitude, SetBits(0x7f800000u)), nan, half), bits);
  }
};

// Calls whole(n) for vectors of elements from n on that cover [0, count), the last one ending there and repeating some;
// where there is no whole vector, single(n) for each.
template <class Whole, class Single>
HWY_INLINE void Cover(int64_t count, const Whole& whole, const Single& single) {
  if (kLanes == 1 || count < kLanes) {
    for (int64_t n = 0; n < count; ++n) single(n);
  } else {
    for (int64_t n = 0; n < count; n += kLanes) whole(std::min(n, count - kLanes));
  }
}

// Calls f with the format as an object.
template <class F>
HWY_INLINE void WithFormat(Storage storage, const F& f) {
  if (storage == Storage::kF32) return f(F32Format());
  if (storage == Storage::kF16) return f(F16Format());
  f(Bf16Format());
}

void Widen(const void* from, Storage storage, int64_t count, float* to) noexcept {
  WithFormat(storage, [&](auto format) {
    using Format = decltype(format);
    const auto* lanes = static_cast<const typename Format::Lane*>(from);
    const hn::Rebind<typename Format::Lane, F32> d;
    Cover(
        count, [&](int64_t n) { hn::StoreU(Format::ToFloat(hn::LoadU(d, lanes + n)), F32(), to + n); },
        [&](int64_t n) { to[n] = load_float(lanes + n, storage); });
  });
}

void Narrow(const float* from, Storage storage, int64_t count, void* to) noexcept {
  WithFormat(storage, [&](auto format) {
    using Format = decltype(format);
    auto* lanes = static_cast<typename Format::Lane*>(to);
    const hn::Rebind<typename Format::Lane, F32> d;
    Cover(
        count, [&](int64_t n) { hn::StoreU(Format::FromFloat(hn::LoadU(F32(), from + n)), d, lanes + n); },
        [&](int64_t n) { store_float(from[n], lanes + n, storage); });
  });
}

// The even and the odd element of each pair: bf16 is the upper half of a float.
void SplitPairs(const float* pairs, int64_t rows, float* to) noexcept {
  const F32 d;
  const hn::RebindToUnsigned<F32> du;
  for (int64_t k = 0; k < rows; ++k) {
    for (int64_t n = 0; n < kPanel; n += kLanes) {
      const auto pair = hn::BitCast(du, hn::LoadU(d, pairs + k * kPanel + n));
      const auto odd = hn::And(pair, hn::Set(du, 0xffff0000u));
      hn::StoreU(hn::BitCast(d, hn::ShiftLeft<16>(pair)), d, to + 2 * k * kPanel + n);
      hn::StoreU(hn::BitCast(d, odd), d, to + (2 * k + 1) * kPanel + n);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
