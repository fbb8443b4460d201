// The memory behind a DecoderCache: keys and values of every layer, each head's tokens one after the other.
#pragma once

#include <cstdint>
#include <memory>

#include "limelight/cache.h"
#include "limelight/decoder.h"

namespace limelight {
namespace detail {

struct KeyValueMemory {
  KeyValueMemory(const DecoderConfig& config, int64_t room);

  // The first `tokens` keys (which = 0) or values (1) of a layer, [1, G, tokens, D].
  TensorView<float, 4> view(int64_t layer, int64_t which, int64_t tokens) const;

  int64_t layers, groups, head_size, capacity;
  int64_t length = 0;
  int64_t filled_layers;  // that hold these tokens; all, unless a pass stopped early
  std::unique_ptr<void, AlignedFree> memory;
};

}  // namespace detail

struct DecoderCache::State : detail::KeyValueMemory {
  using KeyValueMemory::KeyValueMemory;
};

}  // namespace limelight
