// Results over parts of the keys, combined into the result over all of them: chunked prefill, shared prefixes, several
// processes.
//
// Parts come in two forms. (out, lse) of any calls: lse = log sum exp(lse_p), out = sum exp(lse_p - lse) out_p, exact
// to rounding; it has a gradient. Per-tile partials: what attention() folds itself, kept; merged in ascending order of
// keys they give its bits, unless a sum of values overflows: then infinity or NaN. Parts may be empty (lse minus
// infinity). All calls are safe from any thread and throw std::invalid_argument for what does not fit; merging works on
// the calling thread.
#pragma once

#include <cstdint>
#include <span>

#include "limelight/attention.h"

namespace limelight {

// Both [B,H,M,...], the same for all parts.
struct AttentionPart {
  TensorView<const float, 4> out;
  TensorView<const float, 3> lse;
};

// With m = max lse_p and w_p = exp(lse_p - m): lse = m + log sum w_p, out = sum (w_p / sum w_p) out_p, in f32 and in
// the order of the parts. An empty part changes no bit and its out is not read; all empty: out 0, lse minus infinity.
// NaN stays in its row. At least one part; any strides. out and lse may be those of a part (merging in place), but must
// not overlap parts otherwise. A sink is a part of its own: out 0, lse the sink.
void merge(std::span<const AttentionPart> parts, TensorView<float, 4> out, TensorView<float, 3> lse);
AttentionResult merge(std::span<const AttentionPart> parts);

// What of dout and dlse arrives at each part, so that attention_backward() of the part goes on from there:
// dout_p = w_p dout, dlse_p = w_p (dlse + dout . (out_p - out)), w_p = exp(lse_p - lse). out and lse as merge() gave
// them, dlse 0 unless given. Each part's gradient hangs on that part and the whole alone, so `parts` may be some of
// them (one process's own). An empty part's is 0.
struct PartGradient {
  Tensor<float, 4> dout;
  Tensor<float, 3> dlse;
};
std::vector<PartGradient> merge_backward(std::span<const AttentionPart> parts, TensorView<const float, 4> out,
                                         TensorView<const float, 3> lse, TensorView<const float, 4> dout,
                                         std::optional<TensorView<const float, 3>> dlse = std::nullopt);

// The unnormalised partial of every tile of 512 keys, R = B H M rows: max [R, tiles], sum [R, tiles] of exp(s - max)
// and values [R, tiles, E], the sum of exp(s - max) v. Memory: 4 (E + 2) bytes a row and tile.
struct TilePartials {
  std::array<int64_t, 4> sizes{};  // B, H, M, E
  int64_t first_tile = 0;          // of the whole sequence: options.part.first / 512
  Tensor<float, 2> max;
  Tensor<float, 2> sum;
  Tensor<float, 3> values;
};

// Attention over the keys of options.part (which must begin at a multiple of 512), not yet normalised. Throws
// std::invalid_argument as attention() does; for sinks, which take part in the merge alone; for key_lengths, cu_q and
// block_table.
TilePartials attention_partials(FloatView q, FloatView k, FloatView v, const AttentionOptions& options);

// Parts in ascending order of keys, one after the other without gaps; sinks [H] as in AttentionOptions.
AttentionResult merge(std::span<const TilePartials> parts,
                      std::optional<TensorView<const float, 1>> sinks = std::nullopt);

}  // namespace limelight
