// Text that a decoder goes on with, token by token.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limelight/decoder.h"

namespace limelight {

// A token is a function of the logits, these and its number in the text: logits / temperature, then top_k, then top_p.
// Ids that the tokenizer has no piece for, as in vocabularies that were filled up, are never drawn.
struct GenerationOptions {
  int64_t max_tokens = 256;
  float temperature = 0;  // 0: greedy, the largest logit (of equal ones the lowest id)
  int64_t top_k = 0;      // only the k largest logits (of equal ones the lowest ids); 0: all
  float top_p = 1;        // of these only the most likely whose probabilities, made to add to 1, first reach p > 0
  uint64_t seed = 0;
  // The text ends before the first of these that is complete, wherever tokens begin in it. Text is held back while it
  // may be the beginning of one.
  std::vector<std::string> stop = {};
  AttentionObserver observer = nullptr;  // of the prompt and of every new token, the last too
  Run run = {};                          // progress counts over the prompt; then it is asked with 1
};

enum class GenerationEnd { kEndToken, kStopText, kMaxTokens, kContextFull, kCancelled };

struct GenerationResult {
  std::vector<int32_t> ids;  // generated, without the end token
  std::string text;          // of them, before any stop text; special tokens are not shown
  GenerationEnd end{};
  double prefill_seconds = 0, decode_seconds = 0;  // the first token comes with the prompt, each other takes a pass
};

// Called for every new token, the end token too, with its id and the text that is complete with it (maybe none); false
// ends. The texts one after the other are the result's, which after kCancelled may have more at its end.
using TokenCallback = std::function<bool(int32_t id, std::string_view text)>;

// Prompt and text together are at most config().positions tokens. Cancelled is no error here: what was written so far
// is returned. Throws std::invalid_argument for an empty prompt, one that leaves no room, and options out of range, and
// FormatError for a model without a tokenizer.
GenerationResult generate(const Decoder& decoder, std::span<const int32_t> prompt,
                          const GenerationOptions& options = {}, const TokenCallback& on_token = nullptr);

// The prompt of one user message in the model's chat template: ChatML, with its own words of the system unless some are
// given; no template and any other is a FormatError. Special tokens spelt in the message count as such.
std::string chat_prompt(const Decoder& decoder, std::string_view message, std::string_view system = {});

}  // namespace limelight
