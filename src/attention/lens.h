// The three passes of the lens: beside the forward pass, over chosen rows, and by key.
#pragma once

#include <cstdint>
#include <vector>

#include "attention/problem.h"
#include "kernels/kernels.h"
#include "limelight/lens.h"

namespace limelight::detail {

// Throws std::invalid_argument for a request that does not fit. Returns it with row indices counted from 0.
LensRequest check_request(const char* where, const Problem& problem, const LensRequest& request);

// Whole rows of the requested queries, with the maximum and sum their own pass over the keys gives.
void look_at_rows(const Problem& problem, const Kernels& kernels, const char* where, const LensRequest& request,
                  LensResult& result);

// Received mass and heatmap, key-major so that each task owns its keys; max and inverse_sum [B, H, M] from the forward
// pass.
void look_at_columns(const Problem& problem, const Kernels& kernels, const char* where, const LensRequest& request,
                     const float* max, const float* inverse_sum, LensResult& result);

}  // namespace limelight::detail
