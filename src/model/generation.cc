// The loop: read the prompt, choose a token, let it be seen, read it.
#include "limelight/generation.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "core/checks.h"
#include "core/error.h"
#include "limelight/error.h"
#include "model/generation_stop.h"
#include "model/sampling.h"

namespace limelight {
namespace {

constexpr const char* kWhere = "generate";

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void check_arguments(const DecoderConfig& config, std::span<const int32_t> prompt, const GenerationOptions& options) {
  if (prompt.empty()) detail::refuse(kWhere, "prompt", "at least 1 token", "0");
  const auto count = static_cast<int64_t>(prompt.size());
  if (count >= config.positions) {
    const std::string most = "at most " + std::to_string(config.positions - 1) + " tokens, so that one more fits";
    detail::refuse(kWhere, "prompt", most, std::to_string(count));
  }
  if (options.max_tokens < 1) detail::refuse(kWhere, "max_tokens", "1 or more", std::to_string(options.max_tokens));
  for (const std::string& stop : options.stop) {
    if (stop.empty()) detail::refuse(kWhere, "stop", "a text", "an empty one");
  }
}

detail::Sampling sampling_of(const GenerationOptions& options) {
  const detail::Sampling sampling{options.temperature, options.top_k, options.top_p, options.seed};
  detail::check_sampling(kWhere, sampling);
  return sampling;
}

// One text being written.
class Writer {
 public:
  Writer(const Decoder& decoder, std::span<const int32_t> prompt, const GenerationOptions& options,
         const TokenCallback& on_token)
      : decoder_(decoder),
        options_(options),
        on_token_(on_token),
        sampling_(sampling_of(options)),
        prompt_(prompt),
        room_(std::min(options.max_tokens, decoder.config().positions - static_cast<int64_t>(prompt.size()))),
        cache_(decoder.config(), static_cast<int64_t>(prompt.size()) + room_),
        pieces_(decoder.tokenizer(), {.continued = true}),
        stops_(options.stop) {
    for (int32_t id = 0; id < decoder.config().vocabulary; ++id) {
      if (!decoder.tokenizer().has_piece(id) && !ends(id)) pieceless_.push_back(id);
    }
  }

  GenerationResult run() {
    try {
      write();
    } catch (const Cancelled&) {
      result_.end = GenerationEnd::kCancelled;
    }
    result_.text += rest();
    if (result_.prefill_seconds > 0) result_.decode_seconds = seconds_since(start_);
    return std::move(result_);
  }

 private:
  void write() {
    Tensor<float, 2> logits = decoder_.forward_last(prompt_, cache_, pass(true));
    result_.prefill_seconds = seconds_since(std::exchange(start_, Clock::now()));
    for (;;) {
      for (const int32_t id : pieceless_) logits(0, id) = -std::numeric_limits<float>::infinity();
      const std::span<const float> last(logits.data(), static_cast<size_t>(logits.count()));
      const int32_t id = detail::next_token(last, sampling_, result_.ids.size());
      if (!take(id)) break;
      logits = decoder_.forward_last({&id, 1}, cache_, pass(false));
    }
    // The last token too is seen where somebody looks.
    if (!options_.observer || result_.ids.empty() || result_.end == GenerationEnd::kCancelled) return;
    if (cache_.length() == static_cast<int64_t>(prompt_.size() + result_.ids.size())) return;  // before an end token
    decoder_.forward_last({&result_.ids.back(), 1}, cache_, pass(false));
  }

  DecoderOptions pass(bool reading) const {
    DecoderOptions pass;
    pass.observer = options_.observer;
    pass.run.threads = options_.run.threads;
    if (options_.run.progress) {
      pass.run.progress = [this, reading](double share) { return options_.run.progress(reading ? share : 1); };
    }
    return pass;
  }

  bool ends(int32_t id) const {
    const std::vector<int32_t>& ids = decoder_.end_ids();
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  }

  // Adds a token to the text; false when it is the last.
  bool take(int32_t id) {
    if (ends(id)) return finish(GenerationEnd::kEndToken, id, rest());
    result_.ids.push_back(id);
    std::string text = stops_.push(pieces_.push(id));
    if (stops_.stopped()) return finish(GenerationEnd::kStopText, id, text);
    const auto count = static_cast<int64_t>(result_.ids.size());
    if (count == room_) {
      const bool asked = count == options_.max_tokens;
      return finish(asked ? GenerationEnd::kMaxTokens : GenerationEnd::kContextFull, id, text + rest());
    }
    return tell(id, text) || finish_quietly(GenerationEnd::kCancelled);
  }

  bool tell(int32_t id, const std::string& text) {
    result_.text += text;
    return !on_token_ || on_token_(id, text);
  }

  bool finish(GenerationEnd end, int32_t id, const std::string& text) {
    tell(id, text);
    return finish_quietly(end);
  }

  bool finish_quietly(GenerationEnd end) {
    result_.end = end;
    return false;
  }

  // What was held back, as the beginning of a character or of a stop text.
  std::string rest() {
    std::string text = stops_.push(pieces_.finish());
    return text + stops_.finish();
  }

  const Decoder& decoder_;
  const GenerationOptions& options_;
  const TokenCallback& on_token_;
  const detail::Sampling sampling_;
  const std::span<const int32_t> prompt_;
  const int64_t room_;  // tokens that may be written
  DecoderCache cache_;
  TokenDecoder pieces_;
  std::vector<int32_t> pieceless_;  // rows of the embedding that only fill it up
  detail::StopTexts stops_;
  GenerationResult result_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

GenerationResult generate(const Decoder& decoder, std::span<const int32_t> prompt, const GenerationOptions& options,
                          const TokenCallback& on_token) {
  check_arguments(decoder.config(), prompt, options);
  return Writer(decoder, prompt, options, on_token).run();
}

}  // namespace limelight
