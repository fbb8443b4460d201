// The vectors behind the rows of one head: softmax over the keys of scale q.k are the weights, and v is what they mix.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "light.h"
#include "reading.h"

namespace limelight::studio {

struct TokenVectors {
  int64_t token = 0;  // its place among the model's
  std::string piece;
  std::vector<float> before_rope{};  // q or k before the rotation of positions; empty where the model has none
  std::vector<float> query_or_key{};
  std::vector<float> value{};  // of a key
};

struct HeadVectors {
  float scale = 0;
  std::vector<TokenVectors> queries{};  // of the tokens asked for
  std::vector<TokenVectors> keys{};     // of all tokens, seen or not
};

// Of the one head that `options` name; its temperature is not looked at. Runs the model up to that layer.
HeadVectors head_vectors(const Reader& model, const Reading& reading, const std::vector<int64_t>& tokens,
                         const WatchOptions& options);

}  // namespace limelight::studio
