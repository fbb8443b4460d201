// The arguments of one attention call, checked at the door; everything behind it trusts them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "limelight/attention.h"

namespace limelight::detail {

// Keys [begin, end) of a sequence that a query sees; empty where begin == end.
struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
};

// The keys that queries of one sequence see, by length, causal corner and window: the interval moves with the query.
struct LiveRule {
  int64_t length = 0;
  int64_t begin_shift = 0;
  int64_t end_shift = 0;

  Interval operator()(int64_t query) const {
    const int64_t end = std::clamp<int64_t>(query + end_shift, 0, length);
    return {std::clamp<int64_t>(query + begin_shift, 0, end), end};
  }
};

struct Problem {
  int64_t batch = 0, heads = 0, groups = 0, queries = 0, keys = 0, head_size = 0, value_size = 0;  // B H G M N D E
  TensorView<const float, 4> q, k;
  std::optional<TensorView<const float, 4>> v;  // absent where only the scores are wanted
  Causal causal = Causal::kNone;
  Window window;
  float scale = 1;
  float softcap = 0;
  std::optional<TensorView<const float, 4>> bias;    // expanded to [B, H, M, N], broadcast axes with stride 0
  std::optional<TensorView<const uint8_t, 4>> mask;  // likewise
  std::optional<TensorView<const int64_t, 1>> key_lengths;
  Run run;

  int64_t heads_per_group() const { return groups == 0 ? 0 : heads / groups; }
  int64_t length(int64_t b) const { return key_lengths ? (*key_lengths)(b) : keys; }
  LiveRule live(int64_t b) const;
};

// `where` names the call in errors. Throws std::invalid_argument.
Problem check_problem(const char* where, TensorView<const float, 4> q, TensorView<const float, 4> k,
                      std::optional<TensorView<const float, 4>> v, const AttentionOptions& options);

// out [B, H, M, E] and lse [B, H, M], which must have memory.
void check_outputs(const char* where, const Problem& problem, const TensorView<float, 4>& out,
                   const std::optional<TensorView<float, 3>>& lse);

// Throws unless found has exactly the expected sizes.
void check_sizes(const char* where, const char* field, const int64_t* expected, const int64_t* found, int64_t rank);

}  // namespace limelight::detail
