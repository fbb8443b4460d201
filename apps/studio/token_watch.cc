// Words grow while a text is written, so they are found anew for every token.
#include "token_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "head_choice.h"
#include "light.h"
#include "reading.h"
#include "spotlight.h"

namespace limelight::studio {
namespace {

// Moves a number out of the front of `text`.
std::optional<int64_t> take_number(std::string_view& text) {
  int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  return number;
}

bool take_letter(std::string_view& text, std::string_view either) {
  if (text.empty() || either.find(text.front()) == either.npos) return false;
  text.remove_prefix(1);
  return true;
}

WatchedHead checked(const ReaderFacts& facts, WatchedHead head) {
  check_range(facts, {.layer = head.layer, .head = head.head});
  return head;
}

}  // namespace

std::optional<WatchedHead> parse_head(std::string_view text) {
  if (!take_letter(text, "Ll")) return std::nullopt;
  const std::optional<int64_t> layer = take_number(text);
  if (!layer || !take_letter(text, ".") || !take_letter(text, "Hh")) return std::nullopt;
  const std::optional<int64_t> head = take_number(text);
  return head && text.empty() ? std::optional(WatchedHead{*layer, *head}) : std::nullopt;
}

TokenWatch::TokenWatch(const DecoderReader& model, std::string prompt, WatchedHead head, size_t words)
    : tokenizer_(model.tokenizer()),
      head_(checked(model.facts(), head)),
      words_(words),
      text_(std::move(prompt)),
      tokens_(tokenizer_.encode(text_)),
      prompt_tokens_(static_cast<int64_t>(tokens_.size())),
      decoder_(tokenizer_, {.continued = true}),
      whole_(tokens_.size()) {}

void TokenWatch::add(int32_t id) {
  const auto begin = static_cast<int64_t>(text_.size());
  text_ += decoder_.push(id);
  const auto end = static_cast<int64_t>(text_.size());
  const std::string shown = tokenizer_.decode({&id, 1}, {.special = true, .continued = true});
  const bool special = !shown.empty() && tokenizer_.decode({&id, 1}, {.continued = true}).empty();
  tokens_.push_back({.id = id, .piece = shown, .span = {begin, end}, .special = special});
  if (end == begin) return;
  // All pieces of a character have its span.
  for (; whole_ < tokens_.size(); ++whole_) tokens_[whole_].span = {begin, end};
}

std::optional<TokenLight> TokenWatch::see(const LayerAttention& seen) const {
  const int64_t keys = seen.k.sizes[2];
  if (seen.layer != head_.layer || keys <= prompt_tokens_) return std::nullopt;
  const Query last{.tokens = {seen.q.sizes[2] - 1}};
  const HeadLight light = look_at_head(seen, head_.head, {&last, 1});
  const QueryLight& row = light.queries.front();
  const auto weight_of = [&](const std::vector<int64_t>& tokens) {
    double weight = 0;
    for (const int64_t token : tokens) {
      if (token > 0 && token < keys) weight += link(row, {&token, 1});
    }
    return weight;
  };

  const Reading reading = read_tokens(tokenizer_, text_, tokens_);
  TokenLight result{.token = tokens_.back().piece, .top = {}};
  result.first = link(row, std::array<int64_t, 1>{0});
  for (size_t w = 0; w < reading.words.size(); ++w) {
    const double weight = weight_of(reading.words[w].tokens);
    if (!std::isfinite(weight)) {
      detail::fail_format(fmt::format("{}: the weights are not numbers", head_name(head_.layer, head_.head)));
    }
    if (weight > 0) result.top.push_back({reading.words[w].text, static_cast<int64_t>(w), weight});
  }
  std::stable_sort(result.top.begin(), result.top.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  if (result.top.size() > words_) result.top.resize(words_);
  return result;
}

}  // namespace limelight::studio
