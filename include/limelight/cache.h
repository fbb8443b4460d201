// Appending new keys and values to a cache that attention() reads with key_lengths and, when paged, block_table.
#pragma once

#include <cstdint>
#include <optional>

#include "limelight/storage.h"

namespace limelight {

// Looks at memory of the caller. Contiguous: k [B,G,capacity,D], v [B,G,capacity,E]. Paged: k [pages,G,page size,D], v
// likewise, and block_table [B, columns] as in AttentionOptions. lengths [B]: keys that each sequence holds.
struct KeyValueCache {
  FloatOutput k;
  FloatOutput v;
  TensorView<int64_t, 1> lengths;
  std::optional<TensorView<const int64_t, 2>> block_table = std::nullopt;
};

// Writes k [B,G,M,D] and v [B,G,M,E] behind what each sequence holds, converted to the cache's storage, and adds
// counts[b] (M unless given; the first counts[b] of the M rows are taken) to lengths[b]. Throws std::invalid_argument,
// and writes nothing, where a sequence would not fit, a page does not exist or would be written through two columns of
// the table. Columns that nothing is written to are not looked at; neither are slots beyond what is added.
// k and v must not overlap the cache. Runs on the calling thread; allocates nothing that grows with M.
void append(const KeyValueCache& cache, FloatView k, FloatView v,
            std::optional<TensorView<const int64_t, 1>> counts = std::nullopt);

}  // namespace limelight
