// Which head is shown, and by which rule it was chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "light.h"
#include "reading.h"

namespace limelight::studio {

struct HeadWish {
  std::optional<int64_t> layer;
  std::optional<int64_t> head;
  std::optional<int64_t> find = std::nullopt;  // a word: the head that sends most of the query word's light to it
};

struct HeadChoice {
  int64_t layer = 0;
  int64_t head = 0;
  std::string chosen_by;  // for people to read
};

// Throws std::invalid_argument naming the range.
void check_range(const ReaderFacts& facts, const HeadWish& wish);

// The head that needs no look at the light: both numbers given, or the model's own default.
std::optional<HeadChoice> known_head(const ReaderFacts& facts, const HeadWish& wish);

// A word that looks: its place among the words (or pieces) and its rows among those watched.
struct Query {
  int64_t unit = 0;
  std::vector<int64_t> rows{};
};

// The strongest link of the queries to another unit, within what is wished for: to the word to be found, or to any unit
// but the first token, the query itself and its direct neighbours (these count where nothing else is left).
HeadChoice strongest_head(const Light& light, const HeadWish& wish, const std::vector<Query>& queries,
                          const std::vector<Unit>& units, const Reading& reading);

}  // namespace limelight::studio
