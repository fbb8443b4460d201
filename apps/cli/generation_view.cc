// Words are listed as far as the line goes.
#include "generation_view.h"

#include <fmt/format.h>

#include "studio/token_rate.h"
#include "studio/unicode.h"

namespace limelight::cli {
namespace {

constexpr int64_t kTokenWidth = 14;

// A line's worth: white space at the ends is dropped, and what is nothing else is named.
std::string token_text(const std::string& token) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = token.find_first_not_of(kBlank);
  if (begin == token.npos) return token.find('\n') == token.npos ? "(space)" : "(new line)";
  return studio::one_line(token.substr(begin, token.find_last_not_of(kBlank) + 1 - begin));
}

std::string ending(GenerationEnd end) {
  switch (end) {
    case GenerationEnd::kEndToken:
      return "the model ended the text";
    case GenerationEnd::kStopText:
      return "ended by a stop text";
    case GenerationEnd::kMaxTokens:
      return "ended by --max-tokens";
    case GenerationEnd::kContextFull:
      return "ended because the model takes no more: its context is full";
    case GenerationEnd::kCancelled:
      return "ended by Ctrl-C";
  }
  return "";
}

}  // namespace

std::string streamed(const Terminal& terminal, const std::string& text) {
  if (!terminal.interactive) return text;
  return studio::one_line(text, U"\n\t");
}

std::string token_line(const Terminal& terminal, const studio::TokenLight& light) {
  const std::string first = fmt::format("  first token {:.1f} %", light.first * 100);
  const std::string name = fit_left(token_text(light.token), kTokenWidth);
  std::string line = terminal.interactive ? paint(terminal, Tone::kStrong, name) : name;
  int64_t room = terminal.width - kTokenWidth - static_cast<int64_t>(first.size());
  for (const studio::TokenLight::Word& word : light.top) {
    const std::string share = fmt::format("  {} {:.1f} %", studio::legible(word.word), word.weight * 100);
    room -= studio::display_width(share);
    if (terminal.interactive && room < 0) break;
    line += paint_share(terminal, word.weight, share);
  }
  return line + paint(terminal, Tone::kDim, first) + "\n";
}

std::string summary(const GenerationResult& result, size_t prompt_tokens) {
  const size_t count = result.ids.size();
  const std::string rate = count > 1 ? fmt::format(", {:.1f} a second", studio::tokens_per_second(result)) : "";
  const std::string prompt =
      result.prefill_seconds > 0 ? fmt::format(" in {:.2f} s", result.prefill_seconds) : ", not read to its end";
  return fmt::format("{} token{}{}; {} of the prompt{}; {}", count, count == 1 ? "" : "s", rate, prompt_tokens, prompt,
                     ending(result.end));
}

}  // namespace limelight::cli
