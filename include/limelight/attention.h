// Exact attention: out = softmax(scale q k^T, masked) v, in O(T) memory, never a T x T matrix.
//
// Letters: B batch, H query heads, G key/value heads (H a multiple of G), M queries, N keys, D head size, E value size.
// One score: s_ij = scale q_i . k_j; then softcap: c tanh(s / c); then + ALiBi slope (j - (i + N - M)); then + bias;
// then masks set it to minus infinity. Row i: lse_i = log(exp(sink) + sum_j exp(s_ij)), weight p_ij = exp(s_ij -
// lse_i), out_i = sum_j p_ij v_j; without a sink its term is absent. Dropout multiplies p_ij in that last sum alone. A
// row whose keys are all masked: out 0, lse minus infinity (with a sink: the sink). A masked key (also one whose final
// score is minus infinity) is not observed: NaN or infinity in it changes nothing. NaN that is not masked propagates.
// The mean of values up to 3.4e38 is finite: a row whose sum overflows is done a second time, with smaller values. A
// sum that is 0 comes out as +0, for the sign could tell of masked terms. Same bits: a row's result depends on its own
// query, keys, values and options alone; not on threads, the batch, how many other queries are in the call, or strides.
// Instruction sets may differ in the last bits. Source: Dao et al. 2022, FlashAttention (arXiv 2205.14135); Milakov &
// Gimelshein 2018 for the running softmax.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "limelight/runtime.h"
#include "limelight/storage.h"
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

// Which weights are dropped: p_ij is multiplied by 0 with this probability and else by 1 / (1 - probability). The
// choice is a function of (seed, offset, b, h, i, j) alone, so backward repeats it and threads do not matter. Source of
// the random bits: Philox4x32-10 (Salmon et al. 2011, Parallel random numbers: as easy as 1, 2, 3).
struct Dropout {
  float probability = 0;  // 0 (off) to below 1
  uint64_t seed = 0;
  uint64_t offset = 0;  // another for every call with the same seed
};

// k and v hold keys first .. first + N of a sequence that has `total`: causal, window and ALiBi speak of the whole, and
// N = total, below 2^31, in their formulas. Parts that begin at a multiple of 512 merge bit for bit (merge.h).
struct KeyPart {
  int64_t first = 0;
  int64_t total = 0;
};

struct AttentionOptions {
  Causal causal = Causal::kNone;
  Window window = {};
  std::optional<float> scale = std::nullopt;  // 1 / sqrt(D) unless given; 0 and negative are legal
  float softcap = 0;                          // c above; 0 is off
  // [B, H], B may be 1: the slope of each head (alibi_slopes() has the usual ones).
  std::optional<TensorView<const float, 2>> alibi_slopes = std::nullopt;
  // [H]: a score that takes its share of each row and gives nothing. Minus infinity: none.
  std::optional<TensorView<const float, 1>> sinks = std::nullopt;
  // Added to the scores; sizes broadcast to [B, H, M, N] (each its own size or 1), any strides. Minus infinity masks.
  std::optional<TensorView<const float, 4>> bias = std::nullopt;
  // Nonzero = attend, zero = masked; broadcast as bias.
  std::optional<TensorView<const uint8_t, 4>> mask = std::nullopt;
  // [B]: sequence b has only its first key_lengths[b] keys, and that is N in every formula above.
  std::optional<TensorView<const int64_t, 1>> key_lengths = std::nullopt;
  // Packed sequences. [S + 1], from 0 ascending to M and to N, both or neither: B is 1, and queries cu_q[s] .. cu_q[s +
  // 1] see only keys cu_k[s] .. cu_k[s + 1]. Each sequence has its own M and N in every formula; bias, mask and what
  // the lens gives are indexed by place in the pack. A sequence may be empty.
  std::optional<TensorView<const int64_t, 1>> cu_q = std::nullopt;
  std::optional<TensorView<const int64_t, 1>> cu_k = std::nullopt;
  // Paged keys and values: k [pages, G, page size, D], v likewise; key j of sequence b is row j mod page size of page
  // block_table[b, j / page size]. Needs key_lengths; N is columns x page size. With cu_q (and then without cu_k) row s
  // of the table and of key_lengths belongs to packed sequence s.
  std::optional<TensorView<const int64_t, 2>> block_table = std::nullopt;
  std::optional<KeyPart> part = std::nullopt;  // not with key_lengths, cu_k or block_table
  Dropout dropout = {};
  Run run = {};
};

// The slopes of ALiBi for any number of heads: 2^(-8 h / n), h = 1 .. n, n the largest power of two within `heads`; the
// rest are the odd ones of 2^(-4 h / n). Throws std::invalid_argument for heads outside of 0 .. 2^20. Source: Press et
// al. 2022, Train Short, Test Long (arXiv 2108.12409).
std::vector<float> alibi_slopes(int64_t heads);

// q [B,H,M,D], k [B,G,N,D], v [B,G,N,E] -> out [B,H,M,E] and, where a view is given, lse [B,H,M] (natural log). Each as
// f32, f16 or bf16; arithmetic and lse are f32, and 16-bit tensors are converted tile by tile.
// Any strides; out and lse must not overlap the inputs or themselves. Safe to call from any thread.
// Few queries on many keys are split along the keys where threads would wait, and folded in order: the same bits.
// Allocates per thread: a key tile, a value tile and a query block (about 512 (D + E) + rows (D + E) floats), kept for
// the next call; where keys are split, also E + 2 floats a row and tile of 512 keys, for the call. Throws
// std::invalid_argument, before any work, for arguments that do not fit.
void attention(FloatView q, FloatView k, FloatView v, const AttentionOptions& options, FloatOutput out,
               std::optional<TensorView<float, 3>> lse = std::nullopt);

struct AttentionResult {
  Tensor<float, 4> out;
  Tensor<float, 3> lse;
};
AttentionResult attention(FloatView q, FloatView k, FloatView v, const AttentionOptions& options = {});

// What a call with these arguments will do, without doing it. Same checks, same errors.
struct Explanation {
  std::string isa;
  int threads = 0;
  int64_t tasks = 0;
  int64_t key_tile = 0;     // keys a tile
  int64_t query_block = 0;  // query rows a task, at most
  int64_t key_splits = 0;   // pieces that the keys of a query block are cut into, at most; 1: not cut
  int64_t tiles = 0;        // pairs of query block and key tile
  int64_t tiles_skipped = 0;
  int64_t live_pairs = 0;     // query-key pairs that intervals leave, over B and H; 2^63 - 1: that many or more
  int64_t scratch_bytes = 0;  // working memory of attention(), over all threads; twice that where sums overflow
  std::string text() const;   // the same in a few lines
};
Explanation explain(FloatView q, FloatView k, FloatView v, const AttentionOptions& options = {});

}  // namespace limelight
