// The memory behind a DecoderCache: keys and values of every layer, each head's tokens one after the other. It is taken
// as tokens come.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "limelight/cache.h"
#include "limelight/decoder.h"

namespace limelight {
namespace detail {

struct KeyValueMemory {
  KeyValueMemory(const DecoderConfig& config, int64_t most);

  // The first `tokens` keys (which = 0) or values (1) of a layer, [1, G, tokens, D].
  TensorView<float, 4> view(int64_t layer, int64_t which, int64_t tokens) const;

  // Room for `tokens` in a layer, at most the capacity; what the cache holds stays in it, elsewhere.
  void reserve(int64_t layer, int64_t tokens);

  int64_t layers, groups, head_size, capacity;
  int64_t length = 0;
  int64_t filled_layers;  // that hold these tokens; all, unless a pass stopped early

 private:
  struct Part {
    TensorView<float, 4> view(const KeyValueMemory& cache, int64_t which, int64_t tokens) const;

    int64_t room = 0;  // tokens
    std::unique_ptr<void, AlignedFree> memory{};
  };
  std::vector<Part> parts_;  // one a layer
};

}  // namespace detail

struct DecoderCache::State : detail::KeyValueMemory {
  using KeyValueMemory::KeyValueMemory;
};

}  // namespace limelight
