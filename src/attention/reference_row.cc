// Where sequences, rows and keys lie, and which keys a row sees.
#include "attention/reference_row.h"

#include <limits>

#include "core/philox.h"

namespace limelight::detail {
namespace {

// Where an index of [B, H, M, N] lies in a view whose axes of size 1 are broadcast.
template <class T>
T broadcast_at(const TensorView<const T, 4>& view, int64_t b, int64_t h, int64_t i, int64_t j) {
  const auto& size = view.sizes;
  return view(size[0] == 1 ? 0 : b, size[1] == 1 ? 0 : h, size[2] == 1 ? 0 : i, size[3] == 1 ? 0 : j);
}

}  // namespace

int64_t reference_columns(FloatView k, const AttentionOptions& options) {
  return options.block_table ? options.block_table->sizes[1] * k.sizes[2] : k.sizes[2];
}

std::vector<ReferenceSequence> reference_sequences(FloatView q, FloatView k, const AttentionOptions& options) {
  const int64_t count = options.cu_q ? options.cu_q->sizes[0] - 1 : q.sizes[0];
  std::vector<ReferenceSequence> all(static_cast<size_t>(count));
  for (int64_t s = 0; s < count; ++s) {
    ReferenceSequence& one = all[s];
    one.batch = options.cu_q ? 0 : s;
    one.table_row = s;
    one.receiver = options.cu_q && options.block_table ? s : one.batch;
    one.first_query = options.cu_q ? (*options.cu_q)(s) : 0;
    one.queries = options.cu_q ? (*options.cu_q)(s + 1) - one.first_query : q.sizes[2];
    one.first_column = options.cu_k ? (*options.cu_k)(s) : 0;
    one.columns = options.cu_k ? (*options.cu_k)(s + 1) - one.first_column : k.sizes[2];
    if (options.key_lengths) one.columns = (*options.key_lengths)(s);
    one.first_key = options.part ? options.part->first : 0;
    one.keys = options.part ? options.part->total : one.columns;
    one.pooled = options.cu_k ? k.sizes[2] : one.columns;
  }
  return all;
}

KeyPlace ReferenceRow::place(int64_t column) const {
  if (!options.block_table) return {b, column};
  return {(*options.block_table)(sequence.table_row, column / page_size), column % page_size};
}

bool ReferenceRow::sees(int64_t column) const {
  // c, the key that query i stands on.
  const int64_t own_key = options.causal == Causal::kTopLeft ? i() : i() + sequence.keys - sequence.queries;
  const int64_t ahead = j(column) - own_key;
  if (options.causal != Causal::kNone && ahead > 0) return false;
  if (options.window.left >= 0 && -ahead > options.window.left) return false;
  if (options.window.right >= 0 && ahead > options.window.right) return false;
  return !options.mask || broadcast_at(*options.mask, b, h, query, column) != 0;
}

float ReferenceRow::alibi_slope() const {
  if (!options.alibi_slopes) return 0;
  return (*options.alibi_slopes)(options.alibi_slopes->sizes[0] == 1 ? 0 : b, h);
}

float ReferenceRow::bias(int64_t column) const {
  return options.bias ? broadcast_at(*options.bias, b, h, query, column) : 0;
}

float ReferenceRow::sink() const {
  return options.sinks ? (*options.sinks)(h) : -std::numeric_limits<float>::infinity();
}

float ReferenceRow::dropout(int64_t column) const {
  const auto& [probability, seed, offset] = options.dropout;
  if (probability == 0) return 1;
  return dropout_factor(dropout_key(probability, seed, offset), b * heads + h, query, j(column));
}

}  // namespace limelight::detail
