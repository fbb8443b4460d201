// The memory behind DecoderCaches: keys and values of every layer in pages, each head's pages one after the other. A
// contiguous cache is memory of one page.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "limelight/cache.h"
#include "limelight/decoder.h"

namespace limelight::detail {

class PageMemory {
 public:
  // The numbers have been checked.
  PageMemory(const DecoderConfig& config, int64_t pages, int64_t page_tokens);

  // Keys (which = 0) or values (1) of a layer, [pages, G, page_tokens, D].
  TensorView<float, 4> view(int64_t layer, int64_t which) const;

  int64_t free_pages() const;
  // So many pages; throws std::invalid_argument where fewer are free.
  std::vector<int64_t> take(int64_t count);
  void give_back(std::span<const int64_t> pages) noexcept;

  const int64_t layers, groups, head_size, positions, pages, page_tokens;

 private:
  std::unique_ptr<void, AlignedFree> memory_;
  mutable std::mutex mutex_;
  std::vector<int64_t> free_;  // the next one last
};

// What a DecoderCache holds: the pages of one sequence, in the order of its tokens.
struct CachedSequence {
  CachedSequence(std::shared_ptr<PageMemory> pages, int64_t room);
  CachedSequence(const CachedSequence&) = delete;
  CachedSequence& operator=(const CachedSequence&) = delete;
  ~CachedSequence();

  // Pages that `tokens` more would take.
  int64_t pages_missing(int64_t tokens) const;
  // Gives back those that hold none of its tokens.
  void trim() noexcept;

  std::shared_ptr<PageMemory> memory;
  int64_t capacity;
  int64_t length = 0;
  int64_t filled_layers;  // that hold these tokens; all, unless a pass stopped early
  std::vector<int64_t> table;
};

// New tokens of one sequence.
struct NewTokens {
  std::span<const int32_t> ids;
  CachedSequence& cache;

  int64_t count() const { return static_cast<int64_t>(ids.size()); }
};

// Pages for all of them, which share one memory, or an error and none.
void take_pages(std::span<const NewTokens> sequences);

}  // namespace limelight::detail
