// Exact attention: out = softmax(scale q k^T, masked) v, in O(T) memory, never a T x T matrix.
//
// Letters: B batch, H query heads, G key/value heads (H a multiple of G), M queries, N keys, D head size, E value size.
// One score: s_ij = scale q_i . k_j; then softcap: c tanh(s / c); then + bias; then masks set it to minus infinity.
// Row i: lse_i = log sum_j exp(s_ij), weight p_ij = exp(s_ij - lse_i), out_i = sum_j p_ij v_j.
// A row whose keys are all masked: out 0, lse minus infinity. A masked key (also one whose final score is minus
// infinity) is not observed: NaN or infinity in it changes nothing. NaN that is not masked propagates. Same bits: a
// row's result depends on its own query, keys, values and options alone; not on threads, the batch, how many other
// queries are in the call, or strides. Instruction sets may differ in the last bits. Source: Dao et al. 2022,
// FlashAttention (arXiv 2205.14135); Milakov & Gimelshein 2018 for the running softmax.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "limelight/runtime.h"
#include "limelight/tensor.h"

namespace limelight {

// Which keys a query may see, by the corner the triangle is anchored in (x = seen; M = 2, N = 4 and M = 4, N = 2):
//   kTopLeft      x . . .   kBottomRight  x x x .      kTopLeft  x .   kBottomRight  . .
//   j <= i        x x . .   j <= i + N-M  x x x x                x x                 . .
//                                                                x x                 x .
//                                                                x x                 x x
enum class Causal { kNone, kTopLeft, kBottomRight };

// Keys j with c - left <= j <= c + right are seen; c = i + N - M, or i with kTopLeft; -1 is unlimited.
// The query's own key counts besides left: a model's "window of W tokens" is left = W - 1, right = 0.
// Drawn for M = N = 5:
//   left 1, right 0   x . . . .     left 1, right 1   x x . . .
//                     x x . . .                       x x x . .
//                     . x x . .                       . x x x .
//                     . . x x .                       . . x x x
//                     . . . x x                       . . . x x
struct Window {
  int64_t left = -1;
  int64_t right = -1;
};

struct AttentionOptions {
  Causal causal = Causal::kNone;
  Window window = {};
  std::optional<float> scale = std::nullopt;  // 1 / sqrt(D) unless given; 0 and negative are legal
  float softcap = 0;                          // c above; 0 is off
  // Added to the scores; sizes broadcast to [B, H, M, N] (each its own size or 1), any strides. Minus infinity masks.
  std::optional<TensorView<const float, 4>> bias = std::nullopt;
  // Nonzero = attend, zero = masked; broadcast as bias.
  std::optional<TensorView<const uint8_t, 4>> mask = std::nullopt;
  // [B]: sequence b has only its first key_lengths[b] keys, and that is N in every formula above.
  std::optional<TensorView<const int64_t, 1>> key_lengths = std::nullopt;
  Run run = {};
};

// q [B,H,M,D], k [B,G,N,D], v [B,G,N,E] -> out [B,H,M,E] and, where a view is given, lse [B,H,M] (natural log).
// Any strides; out and lse must not overlap the inputs or themselves. Safe to call from any thread.
// Allocates per thread: a key tile, a value tile and a query block (about 512 (D + E) + rows (D + E) floats), kept for
// the next call. Throws std::invalid_argument, before any work, for arguments that do not fit.
void attention(TensorView<const float, 4> q, TensorView<const float, 4> k, TensorView<const float, 4> v,
               const AttentionOptions& options, TensorView<float, 4> out,
               std::optional<TensorView<float, 3>> lse = std::nullopt);

struct AttentionResult {
  Tensor<float, 4> out;
  Tensor<float, 3> lse;
};
AttentionResult attention(TensorView<const float, 4> q, TensorView<const float, 4> k, TensorView<const float, 4> v,
                          const AttentionOptions& options = {});

// What a call with these arguments will do, without doing it. Same checks, same errors.
struct Explanation {
  std::string isa;
  int threads = 0;
  int64_t tasks = 0;
  int64_t key_tile = 0;     // keys a tile
  int64_t query_block = 0;  // query rows a task, at most
  int64_t tiles = 0;        // pairs of query block and key tile
  int64_t tiles_skipped = 0;
  int64_t live_pairs = 0;     // query-key pairs that intervals leave, over B and H
  int64_t scratch_bytes = 0;  // about, over all threads
  std::string text() const;   // the same in a few lines
};
Explanation explain(TensorView<const float, 4> q, TensorView<const float, 4> k, TensorView<const float, 4> v,
                    const AttentionOptions& options = {});

}  // namespace limelight
