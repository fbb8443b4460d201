// Tokens are given to the first word they overlap; what belongs to no word, as [CLS], is kept apart.
#include "reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/error.h"
#include "unicode.h"

namespace limelight::studio {
namespace {

constexpr std::string_view kUnknown = "[UNK]";  // as WordPiece vocabularies spell it

std::string slice(std::string_view text, const Span& span) {
  return std::string(text.substr(static_cast<size_t>(span.begin), static_cast<size_t>(span.end - span.begin)));
}

// Of the template, or an added token that the text itself spells, as "<|im_start|>"; not "[UNK]" for what is unknown.
bool is_special(const Tokenizer& tokenizer, const Token& token, std::string_view text) {
  if (token.special) return true;
  const bool spelt = !token.piece.empty() && slice(text, token.span).find(token.piece) != std::string::npos;
  return spelt && tokenizer.decode({&token.id, 1}).empty();
}

std::vector<Span> words_besides(std::string_view text, const std::vector<Span>& special) {
  std::vector<Span> words = words_of(text);
  size_t s = 0;
  std::erase_if(words, [&](const Span& word) {
    while (s < special.size() && special[s].end <= word.begin) ++s;
    return s < special.size() && special[s].begin < word.end;
  });
  return words;
}

void give_tokens_to_words(Reading& reading, const std::vector<bool>& special) {
  size_t word = 0;
  for (size_t t = 0; t < reading.tokens.size(); ++t) {
    const Token& token = reading.tokens[t];
    const auto index = static_cast<int64_t>(t);
    reading.ids.push_back(token.id);
    if (!special[t]) {
      while (word < reading.words.size() && reading.words[word].span.end <= token.span.begin) ++word;
    }
    if (special[t] || word == reading.words.size() || reading.words[word].span.begin >= token.span.end) {
      reading.special.push_back(index);
    } else {
      Unit& owner = reading.words[word];
      owner.tokens.push_back(index);
      reading.pieces.push_back({token.piece, {index}, {std::max(token.span.begin, owner.span.begin), token.span.end}});
    }
  }
}

Reading read_whole(const Reader& model, std::string_view text) {
  return read_tokens(model.tokenizer(), text, model.tokenizer().encode(text));
}

// The longest run of whole words from the start that the model takes.
Reading read_cut(const Reader& model, const Reading& whole) {
  const int64_t limit = model.facts().positions;
  const auto template_tokens = std::count_if(whole.tokens.begin(), whole.tokens.end(),
                                             [](const Token& token) { return token.special && token.span == Span{}; });
  size_t kept = 0;
  while (kept < whole.words.size()) {
    const std::vector<int64_t>& tokens = whole.words[kept].tokens;
    if (!tokens.empty() && tokens.back() + template_tokens > limit) break;
    ++kept;
  }
  for (; kept > 0; --kept) {
    const auto end = static_cast<size_t>(whole.words[kept - 1].span.end);
    Reading cut = read_whole(model, std::string_view(whole.text).substr(0, end));
    if (static_cast<int64_t>(cut.ids.size()) > limit) continue;
    cut.notes.push_back(fmt::format("the text was cut: {} of its {} words ({} of {} tokens) are shown", kept,
                                    whole.words.size(), cut.ids.size(), whole.ids.size()));
    return cut;
  }
  detail::fail_argument(fmt::format("text: {} takes {} tokens and not one word fits", model.facts().name, limit));
}

// Once each, and not without end.
void add_once(std::vector<std::string>& list, std::string text) {
  constexpr size_t kMostNamed = 8;
  if (list.size() > kMostNamed || std::find(list.begin(), list.end(), text) != list.end()) return;
  list.push_back(list.size() == kMostNamed ? "..." : std::move(text));
}

// Tells what the model does not know, and which words are not read by themselves.
void add_notes(Reading& reading, const std::string& model) {
  std::vector<std::string> unknown, joined, left_out;
  for (const Token& token : reading.tokens) {
    if (!token.special && token.piece == kUnknown) add_once(unknown, legible(slice(reading.text, token.span)));
  }
  const Unit* reader = nullptr;  // the last word before that has pieces
  for (const Unit& word : reading.words) {
    if (!word.tokens.empty()) {
      reader = &word;
    } else if (reader && reading.tokens[static_cast<size_t>(reader->tokens.back())].span.end > word.span.begin) {
      add_once(joined, fmt::format("{} together with {}", legible(word.text), legible(reader->text)));
    } else {
      add_once(left_out, legible(word.text));
    }
  }
  if (!unknown.empty()) {
    reading.notes.push_back(fmt::format("{} does not know {}: it reads {} as {}", model, fmt::join(unknown, " "),
                                        unknown.size() == 1 ? "it" : "each", kUnknown));
  }
  if (!joined.empty()) reading.notes.push_back(fmt::format("{} reads {}", model, fmt::join(joined, ", ")));
  if (!left_out.empty()) reading.notes.push_back(fmt::format("{} leaves out {}", model, fmt::join(left_out, " ")));
}

// "it:2" -> "it" and 2; without a number the whole is the spelling.
std::pair<std::string_view, std::optional<int64_t>> split_occurrence(std::string_view asked) {
  const size_t colon = asked.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return {asked, std::nullopt};
  int64_t number = 0;
  const char* end = asked.data() + asked.size();
  const auto [rest, error] = std::from_chars(asked.data() + colon + 1, end, number);
  if (error != std::errc() || rest != end) return {asked, std::nullopt};
  return {asked.substr(0, colon), number};
}

// "#7" -> 7
std::optional<int64_t> index_in(std::string_view asked) {
  int64_t index = 0;
  if (asked.size() < 2 || asked.front() != '#') return std::nullopt;
  const auto [rest, error] = std::from_chars(asked.data() + 1, asked.data() + asked.size(), index);
  return error == std::errc() && rest == asked.data() + asked.size() ? std::optional(index) : std::nullopt;
}

// The index of a word that can be looked at.
int64_t checked_index(const Reading& reading, int64_t index) {
  const auto count = static_cast<int64_t>(reading.words.size());
  if (index < 0 || index >= count) {
    detail::fail_argument(fmt::format("word: expected 0 to {}, found {}", count - 1, index));
  }
  const Unit& word = reading.words[static_cast<size_t>(index)];
  if (word.tokens.empty()) {
    detail::fail_argument(
        fmt::format("word \"{}\": the model has no piece of its own for it; choose another", legible(word.text)));
  }
  return index;
}

std::vector<std::string> near_words(const Reading& reading, std::u32string_view wanted) {
  constexpr size_t kSuggestions = 3;
  std::vector<std::pair<int64_t, std::string>> near;
  for (const Unit& word : reading.words) {
    const std::u32string spelling = fold(word.text);
    const int64_t distance = edit_distance(spelling, wanted);
    const auto longest = static_cast<int64_t>(std::max(spelling.size(), wanted.size()));
    const bool close = distance * 2 < longest || distance == 1;
    const bool known = std::any_of(near.begin(), near.end(), [&](const auto& n) { return n.second == word.text; });
    if (close && !known) near.emplace_back(distance, word.text);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> words;
  for (size_t i = 0; i < std::min(near.size(), kSuggestions); ++i) words.push_back(legible(near[i].second));
  return words;
}

[[noreturn]] void fail_absent(const Reading& reading, std::string_view spelling) {
  const std::vector<std::string> near = near_words(reading, fold(spelling));
  if (!near.empty()) {
    detail::fail_argument(
        fmt::format("word \"{}\": not in the text; near it are: {}", legible(spelling), fmt::join(near, ", ")));
  }
  std::vector<std::string> words;
  for (size_t i = 0; i < std::min<size_t>(reading.words.size(), 12); ++i)
    words.push_back(legible(reading.words[i].text));
  detail::fail_argument(fmt::format("word \"{}\": not in the text; its words are: {}{}", legible(spelling),
                                    fmt::join(words, " "), words.size() < reading.words.size() ? " ..." : ""));
}

// 'it:1 in "because it was"'
std::string occurrence(const Reading& reading, size_t word, size_t number, std::string_view spelling) {
  const size_t from = word > 0 ? word - 1 : 0;
  const size_t to = std::min(word + 2, reading.words.size());
  std::vector<std::string> around;
  for (size_t i = from; i < to; ++i) around.push_back(legible(reading.words[i].text));
  return fmt::format("{}:{} in \"{}\"", spelling, number, fmt::join(around, " "));
}

size_t choose_occurrence(const Reading& reading, std::string_view spelling, std::optional<int64_t> number,
                         const std::vector<size_t>& found) {
  if (number && *number >= 1 && *number <= static_cast<int64_t>(found.size())) {
    return found[static_cast<size_t>(*number - 1)];
  }
  if (found.size() == 1 && !number) return found[0];
  constexpr size_t kMostListed = 4;
  std::vector<std::string> choices;
  for (size_t i = 0; i < std::min(found.size(), kMostListed); ++i) {
    choices.push_back(occurrence(reading, found[i], i + 1, spelling));
  }
  const std::string range = found.size() <= kMostListed
                                ? "one of"
                                : fmt::format("one of {0}:1 to {0}:{1}; the first are", spelling, found.size());
  const std::string times = found.size() == 1 ? "once" : fmt::format("{} times", found.size());
  detail::fail_argument(
      fmt::format("word \"{}\": it occurs {}; ask for {} {}", spelling, times, range, fmt::join(choices, ", ")));
}

}  // namespace

Reading read_tokens(const Tokenizer& tokenizer, std::string_view text, std::vector<Token> tokens) {
  Reading reading{.text = std::string(text), .tokens = std::move(tokens)};
  std::vector<bool> special;
  std::vector<Span> spelt;
  for (const Token& token : reading.tokens) {
    special.push_back(is_special(tokenizer, token, text));
    if (special.back() && token.span != Span{}) spelt.push_back(token.span);
  }
  for (const Span& span : words_besides(text, spelt)) reading.words.push_back({slice(text, span), {}, span});
  give_tokens_to_words(reading, special);
  return reading;
}

Reading read_text(const Reader& model, std::string_view text, TooLong too_long) {
  Reading reading = read_whole(model, text);
  if (reading.words.empty()) detail::fail_argument("text: it holds no word; give a sentence");
  const int64_t limit = model.facts().positions;
  const auto count = static_cast<int64_t>(reading.ids.size());
  if (count > limit && too_long == TooLong::kRefuse) {
    detail::fail_argument(fmt::format("text: {} takes {} tokens and the text has {}; shorten it, or add --cut",
                                      model.facts().name, limit, count));
  }
  if (count > limit) reading = read_cut(model, reading);
  add_notes(reading, model.facts().name);
  return reading;
}

int64_t find_word(const Reading& reading, std::string_view asked) {
  if (const std::optional<int64_t> index = index_in(asked)) return checked_index(reading, *index);
  const auto [spelling, number] = split_occurrence(asked);
  const std::u32string wanted = fold(spelling);
  std::vector<size_t> found;
  for (size_t i = 0; i < reading.words.size(); ++i) {
    if (fold(reading.words[i].text) == wanted) found.push_back(i);
  }
  if (found.empty()) fail_absent(reading, spelling);
  return checked_index(reading, static_cast<int64_t>(choose_occurrence(reading, legible(spelling), number, found)));
}

std::vector<int64_t> gaps_before(const std::vector<Unit>& units) {
  std::vector<int64_t> gaps;
  int64_t end = 0;
  for (const Unit& unit : units) {
    gaps.push_back(unit.span.begin > end ? 1 : 0);
    end = std::max(end, unit.span.end);
  }
  return gaps;
}

}  // namespace limelight::studio
