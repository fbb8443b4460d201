// Attention as the recipe writes it, with the T x T grid in memory, as fast as its three steps go: what the flash pass
// is compared with.
#pragma once

#include "lesson/recipe.h"

namespace limelight::lesson {

// grid [T,T] and out [T,E] are written; the grid ends as the weights. Both products are register-tiled and run on all
// threads, so the difference in speed is that of the grid. Obeys options.causal, window and scale. Throws
// std::invalid_argument for sizes that do not fit.
void plain_attention(const HeadInput& head, Tensor<float, 2>& grid, Tensor<float, 2>& out, const Run& run = {});

struct SpeedFigures {
  double plain_seconds = 0, flash_seconds = 0;  // the best of some runs, into memory that is there
  int64_t plain_bytes = 0, flash_bytes = 0;     // output and working memory
  double difference = 0;                        // largest, of the two outputs
};

// One head of random numbers, T x d_k. Throws Cancelled when run.progress says no.
SpeedFigures measure_speed(int64_t tokens, int64_t d_k, Causal causal, const Run& run = {});

// What attention() takes for it: output, lse and working memory, nothing of which grows with T x T.
int64_t flash_bytes(int64_t tokens, int64_t heads, int64_t d_k);

}  // namespace limelight::lesson
