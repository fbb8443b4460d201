// The spotlight: where one word of a text looks, or every word, in one head of a model.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "head_choice.h"
#include "head_vectors.h"
#include "light.h"
#include "reading.h"

namespace limelight::studio {

// What is looked at: words, the model's pieces of them, or all its tokens, special ones too.
enum class UnitKind { kWord, kPiece, kToken };

struct SpotlightOptions {
  std::vector<std::string> words = {};  // "it", or "it:2" for the second; several: their light together; none: a grid
  std::optional<int64_t> layer = std::nullopt;
  std::optional<int64_t> head = std::nullopt;
  std::string find = {};  // a word: the head that sends most of the light to it
  Mask mask = Mask::kModel;
  UnitKind unit = UnitKind::kWord;
  bool without_first = false;  // leave the first token out, and make the other shares add to 1
  bool rollout = false;        // through all layers up to `layer`, heads averaged; no head and nothing to find
  bool vectors = false;        // of the head shown, where one word looks
  double temperature = 1;      // of the softmax shown; the model and the choice of the head are at 1
  TooLong too_long = TooLong::kRefuse;
  size_t most_in_grid = 1024;  // units; a grid of all words is T x T by its nature
  Run run = {};
};

struct Share {
  double weight = 0;      // of all light, special tokens in the denominator
  int64_t permille = 0;   // as shown, in tenths of a percent
  bool blocked = false;   // the mask hides it: a state, not the number 0
  bool left_out = false;  // with the first token: it has no share of what is shown

  bool lit() const { return !blocked && !left_out; }
};

// A row's permilles, with the special tokens', add to exactly 1000. They are rounded once, for every form that shows
// them.
struct SpotlightRow {
  std::string word{};
  int64_t index = 0;               // among the words; among the units in a grid
  std::vector<int64_t> indices{};  // of the words that look together; empty where one does
  std::vector<Share> shares{};     // of Spotlight::units, in their order
  std::vector<size_t> own{};       // the units that are this word, or its pieces, in reading order
  Share special{};
  Share first{};       // of the first token, in the whole row: light often rests there that has nowhere to go
  double entropy = 0;  // nats, of the token row; the mean over the word's pieces
  std::optional<double> lse = std::nullopt;  // none when the word has several pieces, and at another temperature
};

struct Spotlight {
  std::string model;
  Causal mask = Causal::kNone;  // as run
  HeadChoice head{};
  std::string text;
  std::vector<std::string> units{};  // the words, pieces or tokens
  std::vector<int64_t> gaps{};       // 1 where a space stands before the unit, else 0
  std::string special{};             // what belongs to no word: "[CLS] [SEP]", "(space)"; empty where all does
  std::string first_word{};          // the unit of the first token; empty where that is a special token
  int64_t tokens = 0;
  UnitKind unit = UnitKind::kWord;
  bool without_first = false;
  double temperature = 1;
  bool grid = false;  // every word looks; else rows has one
  std::vector<SpotlightRow> rows{};
  std::vector<SpotlightRow> each{};                   // where several words look together, the row of each of them
  std::optional<HeadVectors> vectors = std::nullopt;  // where they are asked for
  std::vector<std::string> notes;
};

Spotlight spotlight(const Reader& model, std::string_view text, const SpotlightOptions& options);

// With every name, word and piece as a person is shown it (unicode.h); forms that a program reads have them whole.
Spotlight legible(Spotlight light);

// "minilm L5.H11, mask none, head: default of minilm", and what else is not as usual: several words, temperature, first
// token.
std::string heading(const Spotlight& light);

// "67.1", "<0.1" of what is more than nothing, "blocked" or "left out"
std::string share_text(const Share& share);

// Why `looker` does not see `unit`, which is blocked: masks hide what comes later, windows what is long past.
std::string_view blocked_reason(size_t looker, size_t unit);
// The same for a row: of several words together the first decides.
std::string_view blocked_reason(const SpotlightRow& row, size_t unit);

// The reasons for all that is blocked, once each; none where nothing is.
std::set<std::string_view> blocked_reasons(const Spotlight& light);

// 'first token ("The"): 21.4 % of the light', before it is left out. Empty where the special tokens tell.
std::string first_token_line(const Spotlight& light, const SpotlightRow& row);

// "L5.H11"; of all heads "layers 0 to 5"
std::string head_name(int64_t layer, int64_t head);
// "none" or "causal"
std::string_view mask_name(Causal mask);

// "it = 0.67 animal + 0.04 tired + 0.13 others + 0.16 [CLS] [SEP]": hundredths that add to 1. Of words that the text
// has several times each is numbered, "the:2".
std::string weighted_sum(const Spotlight& light, const SpotlightRow& row);

// The row's units from the strongest, without those that are not lit; equal shares in reading order.
std::vector<size_t> strongest_first(const SpotlightRow& row);

}  // namespace limelight::studio
