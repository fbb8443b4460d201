// A thread's scratch: blocks that grow, folded into one when nothing is in use.
#include "core/scratch.h"

#include <algorithm>

namespace limelight::detail {
namespace {

struct Block {
  std::unique_ptr<void, AlignedFree> memory;
  size_t size = 0;
};

struct Store {
  std::vector<Block> blocks;
  size_t block = 0;  // the one handed out from
  size_t used = 0;   // of that one
  size_t taken = 0, most_taken = 0;
  int scopes = 0;
};

Store& store() {
  thread_local Store instance;
  return instance;
}

}  // namespace

Scratch::Scratch() {
  Store& s = store();
  ++s.scopes;
  mark_ = {s.block, s.used, s.taken};
}

Scratch::~Scratch() {
  Store& s = store();
  s.block = mark_.block;
  s.used = mark_.used;
  s.taken = mark_.taken;
  if (--s.scopes == 0 && s.blocks.size() > 1) {
    size_t total = 0;
    for (const Block& block : s.blocks) total += block.size;
    s.blocks.clear();
    s.block = s.used = 0;
    try {
      s.blocks.push_back({allocate_aligned(total), total});
    } catch (const std::bad_alloc&) {  // the next call then allocates piece by piece again
    }
  }
}

void* Scratch::take_bytes(size_t bytes) {
  Store& s = store();
  const size_t rounded = (std::max<size_t>(bytes, 1) + 63) / 64 * 64;
  while (s.block < s.blocks.size() && s.blocks[s.block].size - s.used < rounded) {
    ++s.block;
    s.used = 0;
  }
  if (s.block == s.blocks.size()) {
    const size_t size = std::max<size_t>(rounded, 64 << 10);
    s.blocks.push_back({allocate_aligned(size), size});
    s.used = 0;
  }
  void* piece = static_cast<char*>(s.blocks[s.block].memory.get()) + s.used;
  s.used += rounded;
  s.taken += rounded;
  s.most_taken = std::max(s.most_taken, s.taken);
  return piece;
}

int64_t Scratch::most_taken() {
  return static_cast<int64_t>(store().most_taken);
}

}  // namespace limelight::detail
