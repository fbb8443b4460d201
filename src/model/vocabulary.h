// The pieces of a tokenizer: from text to id and back.
// Ids may leave gaps; a text and an id belong to each other alone.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace limelight::detail {

struct Piece {
  int32_t id = 0;
  std::string text;
};

class Vocabulary {
 public:
  Vocabulary() = default;
  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;

  void reserve(size_t count);
  // Adding the same piece twice is adding it once. Else nullopt, or what was expected instead.
  std::optional<std::string> add(int32_t id, std::string_view text);

  const Piece* find(std::string_view text) const;  // nullptr: not there
  const Piece* find(int32_t id) const;
  int64_t size() const { return size_; }  // one more than the largest id

 private:
  int64_t size_ = 0;
  std::deque<Piece> pieces_;  // stay where they are, also when the vocabulary is moved
  std::unordered_map<std::string_view, const Piece*> by_text_;
  std::unordered_map<int32_t, const Piece*> by_id_;
};

}  // namespace limelight::detail
