// Byte pair merging: neighbours join, the cheapest pair first and the leftmost of equals, until no pair may.
// (Sennrich et al. 2016.) A queue of pairs over a linked list: n log n in the length of the word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

namespace limelight::detail {

// Bytes [begin, end) of a word, and the piece they are.
struct Symbol {
  size_t begin = 0, end = 0;
  int32_t id = 0;
};

// What a pair becomes.
struct Merge {
  double cost = 0;
  int32_t id = 0;
};

// The symbol at `left` and the next, up to byte `end` of the word.
struct MergeCandidate {
  size_t left = 0, end = 0;
  Merge merge;

  bool operator<(const MergeCandidate& other) const {  // the largest comes out of a queue first
    return merge.cost != other.merge.cost ? merge.cost > other.merge.cost : left > other.left;
  }
};

// join(left, right) tells what a pair becomes, a std::optional<Merge>. No symbol is empty; they ascend in the word.
template <class Join>
void merge_symbols(std::vector<Symbol>& symbols, const Join& join) {
  constexpr size_t kNone = std::numeric_limits<size_t>::max();
  std::vector<size_t> next(symbols.size()), previous(symbols.size());
  std::vector<MergeCandidate> candidates;
  const auto join_with_next = [&](size_t left, const auto& push) {
    const size_t right = next[left];
    if (right == kNone) return;
    if (const std::optional<Merge> merge = join(symbols[left], symbols[right]))
      push(MergeCandidate{left, symbols[right].end, *merge});
  };
  for (size_t i = 0; i < symbols.size(); ++i) {
    previous[i] = i == 0 ? kNone : i - 1;
    next[i] = i + 1 < symbols.size() ? i + 1 : kNone;
    join_with_next(i, [&](const MergeCandidate& found) { candidates.push_back(found); });
  }
  std::priority_queue<MergeCandidate> queue({}, std::move(candidates));
  while (!queue.empty()) {
    const auto [left, end, merge] = queue.top();
    queue.pop();
    const size_t right = next[left];
    const bool gone = symbols[left].begin == symbols[left].end;
    // Where either side has joined another since, the pair ends elsewhere.
    if (gone || right == kNone || symbols[right].end != end) continue;
    symbols[left] = {symbols[left].begin, end, merge.id};
    symbols[right].begin = end;
    next[left] = next[right];
    if (next[left] != kNone) previous[next[left]] = left;
    const auto push = [&](const MergeCandidate& found) { queue.push(found); };
    join_with_next(left, push);
    if (previous[left] != kNone) join_with_next(previous[left], push);
  }
  std::erase_if(symbols, [](const Symbol& symbol) { return symbol.begin == symbol.end; });
}

}  // namespace limelight::detail
