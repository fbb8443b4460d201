// The arguments of one attention call, checked at the door; everything behind it trusts them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "limelight/attention.h"

namespace limelight::detail {

// Keys [begin, end) of a sequence; empty where begin == end.
struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
};

// The keys that queries of one sequence see, by length, causal corner and window: the interval moves with the query.
struct LiveRule {
  Interval held;  // the keys there are
  int64_t begin_shift = 0;
  int64_t end_shift = 0;

  Interval operator()(int64_t query) const {
    const int64_t end = std::clamp(query + end_shift, held.begin, held.end);
    return {std::clamp(query + begin_shift, held.begin, end), end};
  }

  // What queries [begin, end) see together: the interval only moves forwards.
  Interval of(int64_t begin, int64_t end) const {
    if (begin >= end) return {held.begin, held.begin};
    return {(*this)(begin).begin, (*this)(end - 1).end};
  }

  // The queries, of any number, that see some of the keys [first, first + length): those in between all do.
  Interval seeing(int64_t first, int64_t length) const {
    return {std::max(int64_t{0}, first - end_shift + 1), std::max(int64_t{0}, first + length - begin_shift)};
  }
};

// One sequence of a call. Its queries and keys count from 0; this says where they stand in the views.
struct Sequence {
  int64_t index = 0;
  int64_t b = 0;            // along the batch axis of q and out, of bias and mask, and of k and v unless paged
  int64_t first_query = 0;  // query i is row first_query + i
  int64_t queries = 0;      // M of the formulas
  int64_t keys = 0;         // N of the formulas
  Interval held;            // the keys that k and v hold: all but for a KeyPart
  int64_t key_shift = 0;  // key j is column j + key_shift of bias, mask and lens, and that row of k and v unless paged

  int64_t query_row(int64_t i) const { return first_query + i; }
  int64_t column(int64_t j) const { return j + key_shift; }
};

struct Problem {
  // B H G M N D E; of a packed call all queries and keys, of a paged one the keys a row of the table can name.
  int64_t batch = 0, heads = 0, groups = 0, queries = 0, keys = 0, head_size = 0, value_size = 0;
  FloatView q, k;
  std::optional<FloatView> v;  // absent where only the scores are wanted
  Causal causal = Causal::kNone;
  Window window;
  float scale = 1;
  float softcap = 0;
  std::optional<TensorView<const float, 2>> alibi_slopes;  // expanded to [B, H]
  std::optional<TensorView<const float, 1>> sinks;
  std::optional<TensorView<const float, 4>> bias;    // expanded to [B, H, M, N], broadcast axes with stride 0
  std::optional<TensorView<const uint8_t, 4>> mask;  // likewise
  std::optional<TensorView<const int64_t, 1>> key_lengths, cu_q, cu_k;
  std::optional<TensorView<const int64_t, 2>> block_table;
  std::optional<KeyPart> part;
  Dropout dropout;
  Run run;

  int64_t heads_per_group() const { return groups == 0 ? 0 : heads / groups; }
  int64_t rows() const { return batch * heads * queries; }
  int64_t sequences() const { return cu_q ? cu_q->sizes[0] - 1 : batch; }
  Sequence sequence(int64_t s) const;
  LiveRule live(const Sequence& sequence) const;
  float sink(int64_t head) const;  // minus infinity where there is none

  // Place of a query's row in an array over [B, H, M].
  int64_t place(const Sequence& sequence, int64_t head, int64_t query) const {
    return (sequence.b * heads + head) * queries + sequence.query_row(query);
  }

  // What the lens counts by key is [key_entries(), H, N]: packed sequences of paged keys have no columns in common.
  bool keys_by_sequence() const { return cu_q && block_table; }
  int64_t key_entries() const { return keys_by_sequence() ? sequences() : batch; }
  int64_t key_entry(const Sequence& sequence) const { return keys_by_sequence() ? sequence.index : sequence.b; }

  // Columns over which a heatmap of the sequence pools.
  int64_t map_columns(const Sequence& sequence) const { return cu_k || part ? keys : sequence.keys; }

  // Rows of k or v from key j on that follow each other in memory, and the first of them.
  int64_t run_of_keys(const Sequence& sequence, int64_t j) const;
  template <class Void>
  Void* key_row(const AnyFloatView<Void>& view, const Sequence& sequence, int64_t g, int64_t j) const {
    if (!block_table) return view.at(sequence.b, g, sequence.column(j), 0);
    const int64_t page = k.sizes[2];
    return view.at((*block_table)(sequence.index, j / page), g, j % page, 0);
  }
};

// `where` names the call in errors. Throws std::invalid_argument.
Problem check_problem(const char* where, const FloatView& q, const FloatView& k, const std::optional<FloatView>& v,
                      const AttentionOptions& options);

// [heads] finite numbers or minus infinity.
void check_sinks(const char* where, const TensorView<const float, 1>& sinks, int64_t heads);

// out [B, H, M, E] and lse [B, H, M], which must have memory.
void check_outputs(const char* where, const Problem& problem, const FloatOutput& out,
                   const std::optional<TensorView<float, 3>>& lse);

}  // namespace limelight::detail
