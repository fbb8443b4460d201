// A tokenizer of single letters and a model made for tests: small, without files, the same every time.
#pragma once

#include <atomic>

#include "studio/model_shelf.h"

namespace limelight::studio {

// a, b, c, d, the space, and "<x>", a special token. A space begins a word with c.
Tokenizer letter_tokenizer();

// Two layers of two heads of four channels, queries, keys and values drawn by layer, place and letter; causal.
class LetterReader : public Reader {
 public:
  explicit LetterReader(std::string name = "letters");
  const Tokenizer& tokenizer() const override { return tokenizer_; }
  Tensor<float, 2> read(std::span<const int32_t> ids, const ReadOptions& options) const override;

  mutable std::atomic<int> runs = 0;

 private:
  Tokenizer tokenizer_;
};

// A shelf with "damaged", whose files cannot be read, "letters", which is here, and "absent", which is not.
ModelShelf letter_shelf();

}  // namespace limelight::studio
