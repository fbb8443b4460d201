// Byte-level BPE: a word's bytes join to pieces in the order the merges were learnt (GPT-2 and most since).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/bpe_merging.h"
#include "model/utf8.h"
#include "model/vocabulary.h"

namespace limelight::detail {

// Which pieces join, the earliest added first.
class MergeTable {
 public:
  void reserve(size_t count) { merges_.reserve(count); }
  // Both pieces and the two together must be in the vocabulary, and no pair be there twice.
  // nullopt, or what was expected instead.
  std::optional<std::string> add(const Vocabulary& vocabulary, std::string_view left, std::string_view right);
  std::optional<std::string> add(const Vocabulary& vocabulary, std::string_view pair);  // "left right"

  std::optional<Merge> find(int32_t left, int32_t right) const;

 private:
  std::unordered_map<uint64_t, Merge> merges_;  // by the ids of left and right
};

struct ByteLevelBpeConfig {
  MergeTable merges;
  bool whole_words_first = false;  // a word that is a piece needs no merges (ignore_merges)
  bool trim_spans = false;         // a token's span leaves out the spaces at its ends (trim_offsets)
  std::optional<int32_t> unknown;  // for a byte without a piece; without one it is left out
};

class ByteLevelBpe {
 public:
  // The vocabulary must outlive it.
  ByteLevelBpe(ByteLevelBpeConfig config, const Vocabulary& vocabulary);

  // Appends the pieces of one word. A token's span goes from the first character it has bytes of to the last.
  void encode(const Characters& text, Range word, std::vector<Token>& tokens) const;

 private:
  ByteLevelBpeConfig config_;
  const Vocabulary* vocabulary_;
  std::array<std::optional<int32_t>, 256> byte_ids_;
};

}  // namespace limelight::detail
