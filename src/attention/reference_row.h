// The rows of a call as the references walk them: plain, a part of the keys, packed or paged, each query row with the
// places of its keys and what its formulas call i, j, M and N.
#pragma once

#include <cstdint>
#include <vector>

#include "limelight/attention.h"

namespace limelight::detail {

// A column is a key's place in [B, H, M, N]: its row of k; its place in the pack; when paged, in its own sequence.
struct ReferenceSequence {
  int64_t batch = 0;      // of q, bias and mask
  int64_t table_row = 0;  // of block_table
  int64_t first_query = 0, queries = 0;
  int64_t first_column = 0, columns = 0;
  int64_t first_key = 0;  // j of the first column
  int64_t keys = 0;       // N of the formulas
  int64_t pooled = 0;     // the columns that a heatmap spreads over
  int64_t receiver = 0;   // where what its keys receive is counted
};

// What lies in the call, in ascending order of batch entries or of places in the pack.
std::vector<ReferenceSequence> reference_sequences(FloatView q, FloatView k, const AttentionOptions& options);

// N of [B, H, M, N].
int64_t reference_columns(FloatView k, const AttentionOptions& options);

// Row `row` of block `block` (batch entry or page) of k and v.
struct KeyPlace {
  int64_t block = 0;
  int64_t row = 0;
};

struct ReferenceRow {
  const AttentionOptions& options;
  const ReferenceSequence& sequence;
  int64_t page_size;
  int64_t heads;
  int64_t b, h, g;  // batch entry of q, head, and the head of k and v it reads
  int64_t query;    // row of q

  int64_t i() const { return query - sequence.first_query; }
  int64_t j(int64_t column) const { return column - sequence.first_column + sequence.first_key; }
  int64_t end_column() const { return sequence.first_column + sequence.columns; }

  KeyPlace place(int64_t column) const;
  bool sees(int64_t column) const;
  float alibi_slope() const;  // 0 without
  int64_t alibi_distance(int64_t column) const { return j(column) - (i() + sequence.keys - sequence.queries); }
  float bias(int64_t column) const;  // 0 without
  float sink() const;                // minus infinity: none
  float dropout(int64_t column) const;
};

// Calls body(row) for every query row: sequences ascending, then heads, then queries.
template <class Body>
void for_every_row(FloatView q, FloatView k, const AttentionOptions& options,
                   const std::vector<ReferenceSequence>& sequences, const Body& body) {
  const int64_t heads = q.sizes[1];
  for (const ReferenceSequence& sequence : sequences) {
    for (int64_t h = 0; h < heads; ++h) {
      const int64_t g = h / (heads / k.sizes[1]);
      for (int64_t i = 0; i < sequence.queries; ++i) {
        body(ReferenceRow{options, sequence, k.sizes[2], heads, sequence.batch, h, g, sequence.first_query + i});
      }
    }
  }
}

// All elements in Real, contiguous.
template <class Real>
Tensor<Real, 4> widened(FloatView view) {
  Tensor<Real, 4> all(view.sizes);
  Real* to = all.data();
  const auto [s0, s1, s2, s3] = view.sizes;
  for (int64_t a = 0; a < s0; ++a) {
    for (int64_t b = 0; b < s1; ++b) {
      for (int64_t c = 0; c < s2; ++c) {
        for (int64_t d = 0; d < s3; ++d) *to++ = static_cast<Real>(load_float(view.at(a, b, c, d), view.storage));
      }
    }
  }
  return all;
}

}  // namespace limelight::detail
