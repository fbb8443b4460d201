// Which head is shown, and by which rule it was chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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
  int64_t head = 0;       // or kAllHeads
  std::string chosen_by;  // for people to read
};

// Throws std::invalid_argument naming the range.
void check_range(const ReaderFacts& facts, const HeadWish& wish);

// The head that needs no look at the light: both numbers given, or the model's own default.
std::optional<HeadChoice> known_head(const ReaderFacts& facts, const HeadWish& wish);

// Takes head after head and keeps the one with the strongest link, within what is wished for: to the word to be found,
// or to any unit but the first token, the query itself and its direct neighbours (these count where nothing else is
// left).
class StrongestHead {
 public:
  // `units` are those the queries are of. All arguments must outlive it.
  StrongestHead(const HeadWish& wish, const std::vector<Unit>& units, const Reading& reading)
      : wish_(wish), units_(units), reading_(reading) {}

  void offer(HeadLight light);

  bool sees_wanted() const { return sees_wanted_; }  // whether some head may see the word to be found
  HeadChoice choice() const;
  HeadLight take_light() { return std::move(light_); }

 private:
  // Links further away come before stronger ones; 2 stands for all that are further than direct neighbours.
  struct Link {
    int64_t distance = -1;
    double weight = 0;
  };

  Link link_to_wanted(const HeadLight& light);
  Link strongest_link(const HeadLight& light) const;

  const HeadWish& wish_;
  const std::vector<Unit>& units_;
  const Reading& reading_;
  bool sees_wanted_ = false;
  Link best_;
  HeadLight light_;
};

}  // namespace limelight::studio
