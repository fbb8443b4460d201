// A tiny Llama with letters: its tokenizer has a piece for each of the bytes 0 to 95, so that it can write.
#pragma once

#include <string>
#include <vector>

#include "tests/model/tiny_decoder.h"

namespace limelight::testing {

class TinyWriter : public TinyDecoder {
 public:
  TinyWriter();

  void edit_tokenizer(const std::function<void(nlohmann::json&)>& edit) const;
  void end_with(int32_t id) const;  // the id that ends a text; -1: none
};

}  // namespace limelight::testing
