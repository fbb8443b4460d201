// Matrices of rows, one a token: their checks at the door.
#pragma once

#include <array>
#include <cstdint>

#include "limelight/runtime.h"
#include "limelight/tensor.h"

namespace limelight::detail {

// Fails unless the view has these sizes (-1: any) and memory behind them.
template <int Rank>
void check_shape(const char* where, const char* name, const TensorView<const float, Rank>& view,
                 const std::array<int64_t, Rank>& expected);

// The same, and contiguous along the last axis.
template <int Rank>
void check_rows(const char* where, const char* name, const TensorView<const float, Rank>& view,
                const std::array<int64_t, Rank>& expected);

// The same, and no row on top of another.
void check_output_rows(const char* where, const char* name, const TensorView<float, 2>& view,
                       const std::array<int64_t, 2>& expected);

}  // namespace limelight::detail
