// The layers around attention: linear, norms, GELU, SwiGLU, rotary positions, embedding, and self-attention as a
// module. Letters: T rows (tokens), C channels. Every row's result depends on that row alone, bit for bit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "limelight/attention.h"
#include "limelight/runtime.h"
#include "limelight/tensor.h"

namespace limelight {

namespace detail {
struct Kernels;
}

// Below, x and y are matrices of rows: any row stride, contiguous along the last axis. Rows of y must not overlap each
// other or, unless said, x. Arguments that do not fit throw std::invalid_argument before any work. Calls are safe from
// any thread; small ones stay on the calling thread, whatever `run` says.

// y = x W^T + b. Owns W, packed once into the panels the register-tiled product reads: as many floats as W, with `out`
// rounded up to a panel.
class Linear {
 public:
  Linear() = default;
  // weight [out, in], bias [out]; any strides. Copies.
  // Packs for the instruction set in use, which forward() then keeps.
  explicit Linear(TensorView<const float, 2> weight, std::optional<TensorView<const float, 1>> bias = std::nullopt);

  int64_t in() const { return in_; }
  int64_t out() const { return out_; }

  // x [T, in] -> y [T, out]; rows of x and y contiguous along the last axis.
  // One multiply-add chain an element, ascending.
  void forward(TensorView<const float, 2> x, TensorView<float, 2> y, const Run& run = {}) const;

 private:
  int64_t in_ = 0, out_ = 0;
  const detail::Kernels* kernels_ = nullptr;
  Tensor<float, 2> panels_;  // [out rounded up to a panel, in]
  Tensor<float, 1> bias_;
};

// y = (x - mean) / sqrt(var + epsilon) gamma + beta over the last axis, var the mean of (x - mean)^2; x, y [T, C] (y
// may be x), gamma, beta [C], contiguous; epsilon finite, at least 0. (Ba, Kiros & Hinton 2016, arXiv 1607.06450)
void layer_norm(TensorView<const float, 2> x, TensorView<const float, 1> gamma, TensorView<const float, 1> beta,
                float epsilon, TensorView<float, 2> y, const Run& run = {});

// x, y [T, C] (y may be x). (Hendrycks & Gimpel 2016, arXiv 1606.08415)
// kErf: x/2 (1 + erf(x / sqrt 2)). kTanh: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
enum class Gelu { kErf, kTanh };
void gelu(TensorView<const float, 2> x, Gelu form, TensorView<float, 2> y, const Run& run = {});

// y = x / sqrt(mean of x^2 + epsilon) gamma over the last axis; x, y [T, C] (y may be x), gamma [C], contiguous;
// epsilon finite, at least 0. (Zhang & Sennrich 2019, arXiv 1910.07467)
void rms_norm(TensorView<const float, 2> x, TensorView<const float, 1> gamma, float epsilon, TensorView<float, 2> y,
              const Run& run = {});

// y = silu(gate) up, silu(x) = x / (1 + exp(-x)); gate, up, y [T, C] (y may be either).
// (Shazeer 2020, arXiv 2002.05202)
void swiglu(TensorView<const float, 2> gate, TensorView<const float, 2> up, TensorView<float, 2> y,
            const Run& run = {});

// Rotary positions. The token at position p has each head of D channels turned, channel c < D/2 against channel
// c + D/2, by the angle p f_c:
//   y_c = x_c cos(p f_c) - x_{c+D/2} sin(p f_c)      y_{c+D/2} = x_{c+D/2} cos(p f_c) + x_c sin(p f_c)
// so that the product of two tokens depends on their distance alone. (Su et al. 2021, RoFormer, arXiv 2104.09864)
std::vector<double> rope_frequencies(int64_t depth, double base);  // f_c = base^(-2c / D), c < D/2; D even

// Of positions first .. first + tokens, formed in double and rounded once: a table's row depends on its position alone.
struct RopeTable {
  Tensor<float, 2> cosines, sines;  // [T, D/2]
};
RopeTable rope_table(std::span<const double> frequencies, int64_t first, int64_t tokens);

// x, y [T, heads D] (y may be x); row t takes row t of the table.
void rope(TensorView<const float, 2> x, const RopeTable& table, TensorView<float, 2> y, const Run& run = {});

// y[t] += table[ids[t]]; table [V, C], y [T, C]. Throws std::invalid_argument naming the first id outside [0, V).
void add_embedding(TensorView<const float, 2> table, std::span<const int32_t> ids, TensorView<float, 2> y);

// Multi-head self-attention with learnable matrices: q = x W_Q^T, k = x W_K^T, v = x W_V^T, heads of C / H channels
// each, attention, and, where W_O is given, out W_O^T.
class SelfAttention {
 public:
  struct Weights {  // [C, C_in] as in y = x W^T, output [C_out, C]; biases as long as their output; any strides
    TensorView<const float, 2> query, key, value;
    std::optional<TensorView<const float, 2>> output = std::nullopt;
    std::optional<TensorView<const float, 1>> query_bias = std::nullopt, key_bias = std::nullopt,
                                              value_bias = std::nullopt, output_bias = std::nullopt;
  };
  struct Result {
    Tensor<float, 3> output;   // [B, T, C], or [B, T, C_out]
    Tensor<float, 4> weights;  // [B, H, T, T] when asked for, else empty
  };

  // heads must divide C. Copies.
  SelfAttention(const Weights& weights, int64_t heads, Causal causal = Causal::kNone);

  // x [B, T, C_in], any strides but contiguous along the last axis. The weights take B H T T floats; without them
  // memory is O(B T C). run.progress counts anew in each of its steps: three projections, attention, output.
  Result forward(TensorView<const float, 3> x, bool want_weights = false, const Run& run = {}) const;

 private:
  Linear query_, key_, value_;
  std::optional<Linear> output_;
  int64_t heads_ = 1;
  Causal causal_ = Causal::kNone;
};

}  // namespace limelight
