// The four-step recipe, softmax(q k^T / sqrt(d_k)) v, of one head, with the grid that each step leaves. T x T by its
// nature: for sentences.
#pragma once

#include <cstdint>
#include <vector>

#include "limelight/attention.h"

namespace limelight::lesson {

// One head of one text: q, k [1,1,T,D], v [1,1,T,E], contiguous along the last axis.
struct HeadInput {
  TensorView<const float, 4> q, k, v;
  AttentionOptions options;  // causal, window, scale, softcap

  int64_t tokens() const { return q.sizes[2]; }
  int64_t head_size() const { return q.sizes[3]; }
};

// One head without its leading axes, [T,D].
TensorView<const float, 2> rows_of(const TensorView<const float, 4>& head);

// The first two steps.
struct Scores {
  float scale = 1;          // 1 / sqrt(D)
  Tensor<float, 2> scores;  // [T,T] q k^T
  Tensor<float, 2> scaled;  // [T,T]
};

// The third step, and what is measured of its rows.
struct Weights {
  Tensor<float, 2> grid;  // [T,T], 0 where blocked
  std::vector<double> row_sums, entropy, gradient;
};

struct Recipe : Scores {
  Tensor<uint8_t, 2> blocked;  // [T,T]
  Weights weights;
  Weights unscaled;      // the same without the second step
  Tensor<float, 2> out;  // [T,E]
  std::vector<float> lse;
  double difference = 0;  // largest, of `out` from weights v in double
};

// Throw std::invalid_argument for shapes that do not fit.
Recipe recipe(const HeadInput& head);
Scores scores_of(const HeadInput& head);

// The third step alone, by the engine, under any scale and mask; `blocked` is filled where it is given.
Weights weights_of(const HeadInput& head, const AttentionOptions& options, Tensor<uint8_t, 2>* blocked = nullptr);

}  // namespace limelight::lesson
