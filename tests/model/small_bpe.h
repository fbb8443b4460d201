// Byte-level BPE small enough to read: the 256 bytes, the pieces of a few merges, and what a test adds.
#pragma once

#include <string>
#include <vector>

#include "tests/model/small_tokenizer.h"

namespace limelight::testing {

// A tokenizer.json with GPT-2's steps: id of byte b is b, and of the i-th merge ("left right") 256 + i.
Json small_bpe(const std::vector<std::string>& merges);

// The same from GGUF metadata: tokens and merges, kept for TokenizerParts to look into.
struct SmallBpe {
  explicit SmallBpe(std::vector<std::string> merges);
  std::vector<std::string> tokens, merges;
};

}  // namespace limelight::testing
