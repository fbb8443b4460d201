// A Llama 2 of letters: the pieces of all bytes and a few more, as a tokenizer.json and as GGUF metadata.
#pragma once

#include <string>
#include <vector>

#include "model/tokenizer_parts.h"
#include "tests/model/small_tokenizer.h"

namespace limelight::testing {

// tokens: <unk> <s> </s>, the bytes from id 3 on, and from 259 on those of `pieces`, the first of the best score.
struct SmallLlama {
  explicit SmallLlama(const std::vector<std::string>& pieces = {"\u2581", "h", "i", "hi", "\u2581hi"});

  std::vector<std::string> tokens;
  std::vector<double> scores;

  // With the normaliser that folders had first (Prepend, Replace), and Strip; merges are every cut of a piece in two,
  // by its score.
  Json json() const;
  Json metaspace() const;                // with what came after it
  detail::TokenizerParts parts() const;  // looks into this
};

}  // namespace limelight::testing
