// A seeded attention problem that owns its tensors, and slices of it that ask for a part of the same result.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "limelight/attention.h"
#include "limelight/lens.h"

namespace limelight::testing {

using Random = std::mt19937_64;

// Normal numbers.
Tensor<float, 4> random_tensor(const std::array<int64_t, 4>& sizes, Random& random);
// 1 with this probability, else 0.
Tensor<uint8_t, 4> random_mask(const std::array<int64_t, 4>& sizes, double share, Random& random);

struct Shape {
  int64_t B = 1, H = 1, G = 1, M = 1, N = 1, D = 16, E = 16;
};

struct Problem {
  Shape shape;  // as in attention.h: of a pack all queries and keys, N of paged keys the columns x page size
  Causal causal = Causal::kNone;
  Window window;
  std::optional<float> scale;
  float softcap = 0;
  Tensor<float, 4> q, k, v;  // k and v in pages with a block table
  std::optional<Tensor<float, 2>> alibi_slopes;
  std::optional<Tensor<float, 1>> sinks;
  std::optional<Tensor<float, 4>> bias;
  std::optional<Tensor<uint8_t, 4>> mask;
  std::optional<Tensor<int64_t, 1>> key_lengths, cu_q, cu_k;
  std::optional<Tensor<int64_t, 2>> block_table;
  std::optional<KeyPart> part;
  Dropout dropout;

  AttentionOptions options() const;
  AttentionResult attend() const { return attention(q, k, v, options()); }
  // The options in one line, to make a failure again.
  std::string text() const;
};

Problem make_problem(const Shape& shape, uint64_t seed = 1);

// Indices [begin, begin + count) along an axis; an axis of size 1 that broadcasts stays whole.
template <class T, int Rank>
TensorView<T, Rank> slice(TensorView<T, Rank> view, int axis, int64_t begin, int64_t count, bool broadcasts = false) {
  if (broadcasts && view.sizes[axis] == 1) return view;
  view.data += begin * view.strides[axis];
  view.sizes[axis] = count;
  return view;
}

// Options cut to [begin, begin + count) of an axis of [B, H, M, N]. Packs are not cut.
AttentionOptions slice(AttentionOptions options, int axis, int64_t begin, int64_t count);

// A contiguous copy.
template <class T, int Rank>
Tensor<std::remove_const_t<T>, Rank> copy_of(TensorView<T, Rank> view) {
  Tensor<std::remove_const_t<T>, Rank> copy(view.sizes);
  std::array<int64_t, Rank> at{};
  for (int64_t n = 0; n < copy.count(); ++n) {
    int64_t offset = 0;
    int64_t rest = n;
    for (int axis = Rank; axis-- > 0;) {
      at[axis] = rest % view.sizes[axis];
      rest /= view.sizes[axis];
      offset += at[axis] * view.strides[axis];
    }
    copy.data()[n] = view.data[offset];
  }
  return copy;
}

}  // namespace limelight::testing
