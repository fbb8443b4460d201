// Layers grow by doubling, one at a time, so that only one of them is there twice. Not cleared: attention reads no
// further than there are tokens.
#include "model/decoder_cache.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/checks.h"

namespace limelight {
namespace detail {

KeyValueMemory::KeyValueMemory(const DecoderConfig& config, int64_t most)
    : layers(config.layers),
      groups(config.groups),
      head_size(config.head_size),
      capacity(most),
      filled_layers(config.layers),
      parts_(static_cast<size_t>(config.layers)) {
  check_range("decoder_cache", "capacity", capacity, 0, config.positions);
}

TensorView<float, 4> KeyValueMemory::Part::view(const KeyValueMemory& cache, int64_t which, int64_t tokens) const {
  const int64_t head = room * cache.head_size;
  float* data = static_cast<float*>(memory.get()) + which * cache.groups * head;
  return {data, {1, cache.groups, tokens, cache.head_size}, {cache.groups * head, head, cache.head_size, 1}};
}

TensorView<float, 4> KeyValueMemory::view(int64_t layer, int64_t which, int64_t tokens) const {
  return parts_[static_cast<size_t>(layer)].view(*this, which, tokens);
}

void KeyValueMemory::reserve(int64_t layer, int64_t tokens) {
  Part& part = parts_[static_cast<size_t>(layer)];
  if (tokens <= part.room) return;
  Part grown{.room = std::min(std::max(tokens, 2 * part.room), capacity)};
  size_t bytes = 2 * sizeof(float);
  for (const int64_t size : {groups, head_size, grown.room}) {
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes)) throw std::bad_alloc();
  }
  grown.memory = allocate_aligned(bytes);
  for (const int64_t which : {0, 1}) {
    const auto from = part.view(*this, which, length), to = grown.view(*this, which, length);
    for (int64_t g = 0; g < groups && length > 0; ++g)
      std::copy_n(&from(0, g, 0, 0), length * head_size, &to(0, g, 0, 0));
  }
  part = std::move(grown);
}

}  // namespace detail

DecoderCache::DecoderCache(const DecoderConfig& config, int64_t capacity)
    : state_(std::make_unique<State>(config, capacity)) {}
DecoderCache::DecoderCache(DecoderCache&&) noexcept = default;
DecoderCache& DecoderCache::operator=(DecoderCache&&) noexcept = default;
DecoderCache::~DecoderCache() = default;

int64_t DecoderCache::length() const {
  return state_->length;
}
int64_t DecoderCache::capacity() const {
  return state_->capacity;
}

void DecoderCache::truncate(int64_t length) {
  detail::check_range("decoder_cache", "length", length, 0, state_->length);
  state_->length = length;
  if (length == 0) state_->filled_layers = state_->layers;
}

}  // namespace limelight
