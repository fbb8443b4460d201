// ChatML, recognised by the whole of its template: one that says more or less would be followed wrongly.
#include <optional>

#include "core/error.h"
#include "limelight/generation.h"

namespace limelight {
namespace {

// The template without the spaces that mean nothing, and with "\n" of a string written out.
std::string compact(std::string_view jinja) {
  std::string text;
  char quote = 0;
  for (size_t i = 0; i < jinja.size(); ++i) {
    const char c = jinja[i];
    if (quote == 0 && (c == ' ' || c == '\n' || c == '\t' || c == '\r')) continue;
    if (quote != 0 && c == '\\' && i + 1 < jinja.size() && jinja[i + 1] == 'n') {
      text += '\n';
      ++i;
      continue;
    }
    if (c == '\'' || c == '"') quote = quote == 0 ? c : quote == c ? char{0} : quote;
    text += c;
  }
  return text;
}

bool skip(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

// What a ChatML template says besides its frame: the system's words where none are given. Nothing: another template.
std::optional<std::string> default_system(std::string_view jinja) {
  const std::string whole = compact(jinja);
  std::string_view text = whole;
  std::string system;
  skip(text, "{%ifnotadd_generation_promptisdefined%}{%setadd_generation_prompt=false%}{%endif%}");
  if (!skip(text, "{%formessageinmessages%}")) return std::nullopt;
  if (skip(text, "{%ifloop.firstandmessages[0]['role']!='system'%}{{'<|im_start|>system\n")) {
    constexpr std::string_view kEnd = "<|im_end|>\n'}}{%endif%}";
    const size_t end = text.find(kEnd);
    if (end == text.npos || text.substr(0, end).find('\'') != text.npos) return std::nullopt;
    system = text.substr(0, end);
    text.remove_prefix(end + kEnd.size());
  }
  const bool framed = skip(text, "{{'<|im_start|>'+message['role']+'\n'+message['content']+'<|im_end|>'+'\n'}}") &&
                      skip(text, "{%endfor%}{%ifadd_generation_prompt%}{{'<|im_start|>assistant\n'}}{%endif%}");
  return framed && text.empty() ? std::optional(system) : std::nullopt;
}

}  // namespace

std::string chat_prompt(const Decoder& decoder, std::string_view message, std::string_view system) {
  const std::optional<std::string> jinja = decoder.chat_template();
  const std::string& name = decoder.config().name;
  if (!jinja) {
    detail::fail_format("[chat_prompt] " + name + ": its metadata has no chat template; give it a text to go on with");
  }
  const std::optional<std::string> usual = default_system(*jinja);
  if (!usual) {
    detail::fail_format("[chat_prompt] " + name +
                        ": expected a chat template of the ChatML form, found another; write " +
                        "the prompt out as the model wants it");
  }
  std::string prompt;
  const std::string_view opening = system.empty() ? std::string_view(*usual) : system;
  const auto say = [&prompt](std::string_view role, std::string_view words) {
    prompt.append("<|im_start|>").append(role).append("\n").append(words).append("<|im_end|>\n");
  };
  if (!opening.empty()) say("system", opening);
  say("user", message);
  return prompt + "<|im_start|>assistant\n";
}

}  // namespace limelight
