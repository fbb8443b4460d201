// All heads of a model, ranked by how much of one word's light they send to another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "light.h"
#include "reading.h"

namespace limelight::studio {

struct HeadRankingOptions {
  std::string from;
  std::string to;
  Mask mask = Mask::kModel;
  TooLong too_long = TooLong::kRefuse;
  Run run;
};

struct RankedHead {
  int64_t layer = 0;
  int64_t head = 0;
  double weight = 0;
  bool blocked = false;  // the mask hides `to` from `from`
};

struct RankedWord {
  std::string word;
  int64_t index = 0;
};

struct HeadRanking {
  std::string model;
  Causal mask = Causal::kNone;  // as run
  RankedWord from{}, to{};
  bool blocked = false;             // in every head
  std::vector<RankedHead> heads{};  // from strongest; equal weights by layer, then head
  std::vector<std::string> notes;
};

HeadRanking rank_heads(const Reader& model, std::string_view text, const HeadRankingOptions& options);

}  // namespace limelight::studio
