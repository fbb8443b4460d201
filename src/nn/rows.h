// Matrices of rows, one a token: their checks at the door, and the parallel loop over blocks of them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

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

// Calls task(begin, end) for consecutive blocks of [0, rows) that hold about kBlockFloats floats each, 3 to 6 us of the
// cheapest layers; one block stays on the calling thread (a second one gains nothing on less than 4.4 us of work).
inline constexpr int64_t kBlockFloats = 16384;
void for_row_blocks(int64_t rows, int64_t columns, const Run& run, const char* where,
                    const std::function<void(int64_t, int64_t)>& task);

}  // namespace limelight::detail
