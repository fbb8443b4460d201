// Weights in the precision they are stored in, expanded to floats a step of a panel at a time, and their product with
// few rows. Bit for bit core/quantised.cc (but for the sign of a zero) and then the product.
#if defined(LIMELIGHT_KERNELS_QUANTISED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LIMELIGHT_KERNELS_QUANTISED_INL_H_
#undef LIMELIGHT_KERNELS_QUANTISED_INL_H_
#else
#define LIMELIGHT_KERNELS_QUANTISED_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "kernels/product-inl.h"
#include "kernels/storage-inl.h"
#include "limelight/quantised.h"

HWY_BEFORE_NAMESPACE();
namespace limelight::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Elements of a field of a panel, for one vector of its columns.
HWY_INLINE Bits LoadBytes(const uint8_t* from) {
  return hn::PromoteTo(BitsTag(), hn::LoadU(hn::Rebind<uint8_t, F32>(), from));
}
HWY_INLINE Bits LoadSignedBytes(const uint8_t* from) {
  return hn::PromoteTo(BitsTag(), hn::LoadU(hn::Rebind<int8_t, F32>(), reinterpret_cast<const int8_t*>(from)));
}
HWY_INLINE Vector LoadHalves(const uint8_t* from) {
  return F16Format::ToFloat(hn::LoadU(HalfTag(), reinterpret_cast<const uint16_t*>(from)));
}
HWY_INLINE Bits LoadWords(const uint8_t* from) {
  return hn::LoadU(BitsTag(), reinterpret_cast<const int32_t*>(from));
}

HWY_INLINE Bits Low4(Bits x) {
  return hn::And(x, hn::Set(BitsTag(), 15));
}

// Calls f(n) for the first column n of every vector of a panel.
template <class F>
HWY_INLINE void ForPanel(const F& f) {
  for (int64_t n = 0; n < kPanel; n += kLanes) f(n);
}

// A weight is code * scale + offset: the product is exact, so it makes no difference whether it is fused.
HWY_INLINE void StoreWeight(Bits code, Vector scale, Vector offset, float* to) {
  hn::StoreU(hn::MulAdd(hn::ConvertTo(F32(), code), scale, offset), F32(), to);
}

// The formats. kBlock weights take kBytes a column; Step expands kStep of them, the part-th of the block, whose panel
// is at `from`. A field at byte b of a column's block is at b * kPanel there.
template <class Half>
struct PlainBlock {
  static constexpr int64_t kBlock = 1, kBytes = 2, kStep = 1;
  static HWY_INLINE void Step(const uint8_t* from, int64_t, float* to) {
    ForPanel([&](int64_t n) {
      const auto* half = reinterpret_cast<const uint16_t*>(from) + n;
      hn::StoreU(Half::ToFloat(hn::LoadU(HalfTag(), half)), F32(), to + n);
    });
  }
};

struct Q8_0Block {
  static constexpr int64_t kBlock = 32, kBytes = 34, kStep = 32;
  static HWY_INLINE void Step(const uint8_t* from, int64_t, float* to) {
    ForPanel([&](int64_t n) {
      const Vector scale = LoadHalves(from + 2 * n);
      const uint8_t* codes = from + 2 * kPanel + n;
      for (int64_t k = 0; k < 32; ++k) {
        const Vector code = hn::ConvertTo(F32(), LoadSignedBytes(codes + k * kPanel));
        hn::StoreU(hn::Mul(code, scale), F32(), to + k * kPanel + n);
      }
    });
  }
};

// Four bits of a code, with a minimum or a fixed middle.
template <bool kMinimum>
struct NibbleBlock {
  static constexpr int64_t kBlock = 32, kBytes = kMinimum ? 20 : 18, kStep = 32;
  static HWY_INLINE void Step(const uint8_t* from, int64_t, float* to) {
    ForPanel([&](int64_t n) {
      const Vector scale = LoadHalves(from + 2 * n);
      const Vector offset = kMinimum ? LoadHalves(from + 2 * kPanel + 2 * n) : hn::Mul(scale, hn::Set(F32(), -8.0f));
      const uint8_t* codes = from + (kMinimum ? 4 : 2) * kPanel + n;
      for (int64_t k = 0; k < 16; ++k) {
        const Bits pair = LoadBytes(codes + k * kPanel);
        StoreWeight(Low4(pair), scale, offset, to + k * kPanel + n);
        StoreWeight(hn::ShiftRight<4>(pair), scale, offset, to + (k + 16) * kPanel + n);
      }
    });
  }
};

// And a fifth bit, those of all 32 weights in one word.
template <bool kMinimum>
struct FiveBitBlock {
  static constexpr int64_t kBlock = 32, kBytes = kMinimum ? 24 : 22, kStep = 32;
  static HWY_INLINE void Step(const uint8_t* from, int64_t, float* to) {
    constexpr int64_t kWord = kMinimum ? 4 : 2;
    ForPanel([&](int64_t n) {
      const Vector scale = LoadHalves(from + 2 * n);
      const Vector offset = kMinimum ? LoadHalves(from + 2 * kPanel + 2 * n) : hn::Mul(scale, hn::Set(F32(), -16.0f));
      const Bits sixteen = hn::Set(BitsTag(), 16);
      Bits fifth = LoadWords(from + kWord * kPanel + 4 * n);  // bit k of the word, moved on by one a step
      const uint8_t* codes = from + (kWord + 4) * kPanel + n;
      for (int64_t k = 0; k < 16; ++k) {
        const Bits pair = LoadBytes(codes + k * kPanel);
        const Bits low = hn::And(hn::ShiftLeft<4>(fifth), sixteen);
        const Bits high = hn::And(hn::ShiftRight<12>(fifth), sixteen);
        StoreWeight(hn::Or(Low4(pair), low), scale, offset, to + k * kPanel + n);
        StoreWeight(hn::Or(hn::ShiftRight<4>(pair), high), scale, offset, to + (k + 16) * kPanel + n);
        fifth = hn::ShiftRight<1>(fifth);
      }
    });
  }
};

// Of each 64 weights the first 32 are low halves, the others high halves, each with its own s and t.
struct Q4KBlock {
  static constexpr int64_t kBlock = 256, kBytes = 144, kStep = 64;

  // s (which = 0) or t (4) of a group of 32: see pair_at in core/quantised.cc.
  static HWY_INLINE Vector SixBits(const uint8_t* packed, int64_t group, int64_t which) {
    if (group < 4) return hn::ConvertTo(F32(), hn::And(LoadBytes(packed + (group + which) * kPanel), SetBits(63)));
    const Bits both = LoadBytes(packed + (group + 4) * kPanel);
    const Bits high = hn::ShiftRight<6>(LoadBytes(packed + (group - 4 + which) * kPanel));
    return hn::ConvertTo(F32(), hn::Or(which == 0 ? Low4(both) : hn::ShiftRight<4>(both), hn::ShiftLeft<4>(high)));
  }

  static HWY_INLINE void Step(const uint8_t* from, int64_t part, float* to) {
    ForPanel([&](int64_t n) {
      const Vector d = LoadHalves(from + 2 * n);
      const Vector m = hn::Neg(LoadHalves(from + 2 * kPanel + 2 * n));
      const uint8_t* packed = from + 4 * kPanel + n;
      const Vector scale0 = hn::Mul(d, SixBits(packed, 2 * part, 0)),
                   scale1 = hn::Mul(d, SixBits(packed, 2 * part + 1, 0));
      const Vector offset0 = hn::Mul(m, SixBits(packed, 2 * part, 4)),
                   offset1 = hn::Mul(m, SixBits(packed, 2 * part + 1, 4));
      const uint8_t* codes = from + (16 + 32 * part) * kPanel + n;
      for (int64_t k = 0; k < 32; ++k) {
        const Bits pair = LoadBytes(codes + k * kPanel);
        StoreWeight(Low4(pair), scale0, offset0, to + k * kPanel + n);
        StoreWeight(hn::ShiftRight<4>(pair), scale1, offset1, to + (k + 32) * kPanel + n);
      }
    });
  }
};

// Of each 128 weights: quarters 0 and 1 are the low halves of 64 bytes, 2 and 3 the high ones; two more bits of all
// four quarters share a byte; s is for 16 weights.
struct Q6KBlock {
  static constexpr int64_t kBlock = 256, kBytes = 210, kStep = 128;

  static HWY_INLINE void Sixteen(const uint8_t* low, const uint8_t* high, int quarter, Vector scale, float* to) {
    const Vector offset = hn::Mul(scale, hn::Set(F32(), -32.0f));
    const int low_shift = quarter < 2 ? 0 : 4;
    for (int64_t k = 0; k < 16; ++k) {
      const Bits four = Low4(hn::ShiftRightSame(LoadBytes(low + k * kPanel), low_shift));
      const Bits two = hn::And(hn::ShiftRightSame(LoadBytes(high + k * kPanel), 2 * quarter), SetBits(3));
      StoreWeight(hn::Or(four, hn::ShiftLeft<4>(two)), scale, offset, to + k * kPanel);
    }
  }

  static HWY_INLINE void Step(const uint8_t* from, int64_t part, float* to) {
    ForPanel([&](int64_t n) {
      const Vector d = LoadHalves(from + 208 * kPanel + 2 * n);
      for (int64_t g = 0; g < 8; ++g) {
        const int quarter = static_cast<int>(g / 2);
        const Bits s = LoadSignedBytes(from + (192 + 8 * part + g) * kPanel + n);
        const int64_t place = g % 2 * 16;
        Sixteen(from + (64 * part + quarter % 2 * 32 + place) * kPanel + n,
                from + (128 + 32 * part + place) * kPanel + n, quarter, hn::Mul(d, hn::ConvertTo(F32(), s)),
                to + 16 * g * kPanel + n);
      }
    });
  }
};

// Calls f with the block's format as an object; not for F32, whose panels are floats already.
template <class F>
HWY_INLINE void WithBlock(WeightType type, const F& f) {
  switch (type) {
    case WeightType::kF32:
      return;
    case WeightType::kF16:
      return f(PlainBlock<F16Format>());
    case WeightType::kBf16:
      return f(PlainBlock<Bf16Format>());
    case WeightType::kQ8_0:
      return f(Q8_0Block());
    case WeightType::kQ4_0:
      return f(NibbleBlock<false>());
    case WeightType::kQ4_1:
      return f(NibbleBlock<true>());
    case WeightType::kQ5_0:
      return f(FiveBitBlock<false>());
    case WeightType::kQ5_1:
      return f(FiveBitBlock<true>());
    case WeightType::kQ4K:
      return f(Q4KBlock());
    case WeightType::kQ6K:
      return f(Q6KBlock());
  }
}

// Depth [begin, end), in whole steps.
template <class Block>
HWY_INLINE void ExpandSteps(const uint8_t* panel, int64_t begin, int64_t end, float* to) {
  for (int64_t k = begin; k < end; k += Block::kStep, to += Block::kStep * kPanel) {
    Block::Step(panel + k / Block::kBlock * Block::kBytes * kPanel, k % Block::kBlock / Block::kStep, to);
  }
}

void Expand(const std::byte* panel, WeightType type, int64_t begin, int64_t end, float* to) noexcept {
  const auto* bytes = reinterpret_cast<const uint8_t*>(panel);
  if (type == WeightType::kF32) {
    std::memcpy(to, bytes + begin * kPanel * 4, static_cast<size_t>((end - begin) * kPanel) * sizeof(float));
    return;
  }
  WithBlock(type, [&](auto block) { ExpandSteps<decltype(block)>(bytes, begin, end, to); });
}

// Bytes ahead of their use that weights are asked for: streams end at every page, and matrices are small. Measured on a
// model beyond the caches: 1.4 times as fast; the same for 2.5 and 8 KiB.
constexpr int64_t kAheadBytes = 4096;

// Each step is expanded to a tile in the level 1 cache and multiplied from there: stores and loads have ports of their
// own, so this costs no more than expanding in registers, and serves any number of rows.
template <class Block, int R>
HWY_INLINE void StoredTile(const float* a, int64_t a_stride, const uint8_t* panel, int64_t depth, int64_t columns,
                           const float* bias, float* c, int64_t c_stride) {
  constexpr int64_t kStep = std::max<int64_t>(Block::kStep, 32);
  constexpr int64_t kStepBytes = kStep * Block::kBytes / Block::kBlock * kPanel;
  HWY_ALIGN float tile[kStep * kPanel];
  Vector sum[R][kPanelVectors];
  Clear(sum);
  for (int64_t k = 0; k < depth; k += kStep) {
    const int64_t end = std::min(k + kStep, depth);
    const uint8_t* ahead = panel + k / kStep * kStepBytes + kAheadBytes;
    for (int64_t at = 0; at < kStepBytes; at += 64) __builtin_prefetch(ahead + at);
    ExpandSteps<Block>(panel, k, end, tile);
    MultiplyAdd(a + k, a_stride, 1, tile, kPanel, 0, end - k, sum);
  }
  StoreTile(sum, columns, bias, c, c_stride);
}

void ProductStored(const float* a, int64_t a_stride, int64_t rows, const std::byte* panels, WeightType type,
                   int64_t depth, int64_t columns, const float* bias, float* c, int64_t c_stride) noexcept {
  if (type == WeightType::kF32) {
    return Product(a, a_stride, rows, reinterpret_cast<const float*>(panels), depth, columns, bias, c, c_stride);
  }
  WithBlock(type, [&](auto block) {
    using Block = decltype(block);
    const auto* panel = reinterpret_cast<const uint8_t*>(panels);
    for (int64_t n = 0; n < columns; n += kPanel, panel += depth / Block::kBlock * Block::kBytes * kPanel) {
      for (int64_t i = 0; i < rows; i += kRows) {
        WithCount(std::min<int64_t>(kRows, rows - i), [&](auto r) {
          StoredTile<Block, r.value>(a + i * a_stride, a_stride, panel, depth, std::min(kPanel, columns - n),
                                     bias == nullptr ? nullptr : bias + n, c + i * c_stride + n, c_stride);
        });
      }
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace limelight::detail
HWY_AFTER_NAMESPACE();
#endif
