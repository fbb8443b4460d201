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

struct GenerationOptions {
  int64_t max_tokens = 256;
  float temperature = 0;  // 0: greedy, the largest logit (of equal ones the lowest id)
  int64_t top_k = 0;      // only the k largest logits; 0: all
  float top_p = 1;        // only the most likely whose probabilities reach p
  uint64_t seed = 0;
  std::vector<std::string> stop = {};  // ends before any of these
  AttentionObserver observer = nullptr;
  Run run = {};
};

enum class GenerationEnd { kEndToken, kStopText, kMaxTokens, kContextFull, kCancelled };

struct GenerationResult {
  std::vector<int32_t> ids;  // generated, without the end token
  std::string text;
  GenerationEnd end{};
  double prefill_seconds = 0, decode_seconds = 0;
};

// Called for every new token with its id and the text that is complete with it (maybe none); false ends.
using TokenCallback = std::function<bool(int32_t id, std::string_view text)>;

// Throws std::invalid_argument for an empty prompt, one that leaves no room, and options out of range.
GenerationResult generate(const Decoder& decoder, std::span<const int32_t> prompt,
                          const GenerationOptions& options = {}, const TokenCallback& on_token = nullptr);

// The prompt of one user message in the model's chat template: ChatML; any other template is a FormatError.
std::string chat_prompt(const Decoder& decoder, std::string_view message, std::string_view system = {});

}  // namespace limelight
