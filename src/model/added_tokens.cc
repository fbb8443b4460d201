// Added tokens: strings that are found whole in the text, before it is cut into words.
#include "model/added_tokens.h"

#include <algorithm>
#include <functional>

#include "model/unicode.h"

namespace limelight::detail {
namespace {

bool stands_alone(std::u32string_view text, Range range) {
  return (range.begin == 0 || !is_regex_word(text[range.begin - 1])) &&
         (range.end == text.size() || !is_regex_word(text[range.end]));
}

}  // namespace

void AddedTokens::add(const AddedToken& token, std::u32string form) {
  if (form.empty()) return;
  std::vector<size_t>& lengths = lengths_[form.front()];
  const auto place = std::lower_bound(lengths.begin(), lengths.end(), form.size(), std::greater<>());
  if (place == lengths.end() || *place != form.size()) lengths.insert(place, form.size());
  tokens_.emplace(std::move(form), token);
}

const AddedToken* AddedTokens::longest_match(std::u32string_view rest, size_t& length) const {
  const auto lengths = lengths_.find(rest.front());
  if (lengths == lengths_.end()) return nullptr;
  for (size_t candidate : lengths->second) {
    const auto found = tokens_.find(rest.substr(0, candidate));
    if (found == tokens_.end()) continue;
    length = found->first.size();
    return &found->second;
  }
  return nullptr;
}

std::vector<AddedTokens::Segment> AddedTokens::split(std::u32string_view text) const {
  std::vector<Segment> segments;
  size_t done = 0;  // segments cover the text up to here
  for (size_t at = 0, length = 0; at < text.size(); at += length) {
    const AddedToken* token = longest_match(text.substr(at), length);
    if (token == nullptr) length = 1;
    if (token == nullptr || (token->single_word && !stands_alone(text, {at, at + length}))) continue;
    Range range{at, at + length};
    while (token->lstrip && range.begin > done && is_white_space(text[range.begin - 1])) --range.begin;
    while (token->rstrip && range.end < text.size() && is_white_space(text[range.end])) ++range.end;
    if (done < range.begin) segments.push_back({{done, range.begin}});
    segments.push_back({range, token});
    done = std::max(done, range.end);
  }
  if (done < text.size()) segments.push_back({{done, text.size()}});
  return segments;
}

}  // namespace limelight::detail
