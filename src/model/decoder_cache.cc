// Room for keys and values. Not cleared: the system gives memory as it is written, and attention reads no further than
// there are tokens.
#include "model/decoder_cache.h"

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "core/checks.h"
#include "core/rounding.h"

namespace limelight {
namespace detail {

PageMemory::PageMemory(const DecoderConfig& config, int64_t count, int64_t tokens)
    : layers(config.layers),
      groups(config.groups),
      head_size(config.head_size),
      positions(config.positions),
      pages(count),
      page_tokens(tokens) {
  size_t bytes = 2 * sizeof(float);
  for (const int64_t size : {layers, groups, head_size, pages, page_tokens}) {
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes)) throw std::bad_alloc();
  }
  memory_ = allocate_aligned(bytes);
  for (int64_t page = pages; page-- > 0;) free_.push_back(page);
}

TensorView<float, 4> PageMemory::view(int64_t layer, int64_t which) const {
  const int64_t page = page_tokens * head_size, head = pages * page;
  float* data = static_cast<float*>(memory_.get()) + (2 * layer + which) * groups * head;
  return {data, {pages, groups, page_tokens, head_size}, {page, head, head_size, 1}};
}

int64_t PageMemory::free_pages() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(free_.size());
}

std::vector<int64_t> PageMemory::take(int64_t count) {
  const std::lock_guard lock(mutex_);
  const auto free = static_cast<int64_t>(free_.size());
  if (count > free) {
    const std::string expected = "at least " + std::to_string(count) + " free, of " + std::to_string(page_tokens);
    refuse("decoder", "pages", expected + " tokens each", std::to_string(free));
  }
  std::vector<int64_t> taken(free_.rbegin(), free_.rbegin() + count);
  free_.resize(static_cast<size_t>(free - count));
  return taken;
}

// Never beyond the room that free_ has had from the beginning.
void PageMemory::give_back(std::span<const int64_t> given) noexcept {
  const std::lock_guard lock(mutex_);
  free_.insert(free_.end(), given.rbegin(), given.rend());
}

CachedSequence::CachedSequence(std::shared_ptr<PageMemory> pages, int64_t room)
    : memory(std::move(pages)), capacity(room), filled_layers(memory->layers) {}

CachedSequence::~CachedSequence() {
  memory->give_back(table);
}

int64_t CachedSequence::pages_missing(int64_t tokens) const {
  return ceil_div(length + tokens, memory->page_tokens) - static_cast<int64_t>(table.size());
}

void CachedSequence::trim() noexcept {
  const auto kept = static_cast<size_t>(ceil_div(length, memory->page_tokens));
  memory->give_back(std::span(table).subspan(kept));
  table.resize(kept);
}

void take_pages(std::span<const NewTokens> sequences) {
  int64_t missing = 0;
  for (const NewTokens& s : sequences) {
    const int64_t more = s.cache.pages_missing(s.count());
    s.cache.table.reserve(s.cache.table.size() + static_cast<size_t>(more));
    missing += more;
  }
  const std::vector<int64_t> pages = sequences[0].cache.memory->take(missing);
  for (auto next = pages.begin(); const NewTokens& s : sequences) {
    const auto end = next + s.cache.pages_missing(s.count());
    s.cache.table.insert(s.cache.table.end(), next, end);
    next = end;
  }
}

namespace {

std::shared_ptr<PageMemory> one_page(const DecoderConfig& config, int64_t capacity) {
  check_range("decoder_cache", "capacity", capacity, 0, config.positions);
  return std::make_shared<PageMemory>(config, 1, std::max<int64_t>(capacity, 1));
}

std::shared_ptr<PageMemory> several_pages(const DecoderConfig& config, int64_t pages, int64_t page_tokens) {
  check_range("decoder_pages", "pages", pages, 1, std::numeric_limits<int64_t>::max());
  check_range("decoder_pages", "page_tokens", page_tokens, 1, std::numeric_limits<int32_t>::max());
  return std::make_shared<PageMemory>(config, pages, page_tokens);
}

}  // namespace
}  // namespace detail

DecoderPages::DecoderPages(const DecoderConfig& config, int64_t pages, int64_t page_tokens)
    : memory_(detail::several_pages(config, pages, page_tokens)) {}

int64_t DecoderPages::pages() const {
  return memory_->pages;
}
int64_t DecoderPages::page_tokens() const {
  return memory_->page_tokens;
}
int64_t DecoderPages::free_pages() const {
  return memory_->free_pages();
}

DecoderCache::DecoderCache(const DecoderConfig& config, int64_t capacity)
    : sequence_(std::make_unique<detail::CachedSequence>(detail::one_page(config, capacity), capacity)) {}
DecoderCache::DecoderCache(const DecoderPages& pages)
    : sequence_(std::make_unique<detail::CachedSequence>(pages.memory_, pages.memory_->positions)) {}
DecoderCache::DecoderCache(DecoderCache&&) noexcept = default;
DecoderCache& DecoderCache::operator=(DecoderCache&&) noexcept = default;
DecoderCache::~DecoderCache() = default;

int64_t DecoderCache::length() const {
  return sequence_->length;
}
int64_t DecoderCache::capacity() const {
  return sequence_->capacity;
}

void DecoderCache::truncate(int64_t length) {
  detail::check_range("decoder_cache", "length", length, 0, sequence_->length);
  sequence_->length = length;
  if (length == 0) sequence_->filled_layers = sequence_->memory->layers;
  sequence_->trim();
}

}  // namespace limelight
