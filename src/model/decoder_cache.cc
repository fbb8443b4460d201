// Room for keys and values. Not cleared: pages come as tokens do, and attention reads no further than there are tokens.
#include "model/decoder_cache.h"

#include <new>

#include "core/checks.h"

namespace limelight {
namespace detail {

KeyValueMemory::KeyValueMemory(const DecoderConfig& config, int64_t room)
    : layers(config.layers),
      groups(config.groups),
      head_size(config.head_size),
      capacity(room),
      filled_layers(config.layers) {
  check_range("decoder_cache", "capacity", capacity, 0, config.positions);
  size_t bytes = 2 * sizeof(float);
  for (const int64_t size : {layers, groups, head_size, capacity}) {
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes)) throw std::bad_alloc();
  }
  memory = allocate_aligned(bytes);
}

TensorView<float, 4> KeyValueMemory::view(int64_t layer, int64_t which, int64_t tokens) const {
  const int64_t head = capacity * head_size;
  float* data = static_cast<float*>(memory.get()) + (2 * layer + which) * groups * head;
  return {data, {1, groups, tokens, head_size}, {groups * head, head, head_size, 1}};
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
