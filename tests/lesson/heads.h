// Heads of random numbers for the lesson's tests, and their answer by the double reference.
#pragma once

#include "attention/reference.h"
#include "lesson/draw.h"
#include "lesson/recipe.h"

namespace limelight::lesson {

struct RandomHead {
  Tensor<float, 4> q, k, v;
  AttentionOptions options;

  RandomHead(int64_t tokens, int64_t depth, int64_t width, Causal causal, uint64_t seed = 1)
      : q(draw<4>(seed, 0, {1, 1, tokens, depth}, 1.5f)),
        k(draw<4>(seed, 1, {1, 1, tokens, depth}, 1.5f)),
        v(draw<4>(seed, 2, {1, 1, tokens, width})) {
    options.causal = causal;
  }

  HeadInput input() const { return {.q = q, .k = k, .v = v, .options = options}; }
  detail::ReferenceAttention<double> reference() const {
    return detail::reference_attention<double>(q.view(), k.view(), v.view(), options);
  }
};

}  // namespace limelight::lesson
