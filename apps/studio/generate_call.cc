// generate: a decoder goes on with a text, and every token tells where it looked.
#include <fmt/format.h>

#include <algorithm>

#include "call.h"
#include "core/error.h"
#include "limelight/generation.h"
#include "token_rate.h"
#include "token_watch.h"

namespace limelight::studio {
namespace {

std::shared_ptr<const RememberingReader> writer(const Call& call) {
  if (call.asked.contains("model")) return call.model();
  const auto& models = call.studio.models.models();
  const auto here = std::find_if(models.begin(), models.end(),
                                 [](const ShelfModel& model) { return model.writes && model.present(); });
  if (here != models.end()) return call.studio.models.get(here->name);
  const auto known = std::find_if(models.begin(), models.end(), [](const ShelfModel& model) { return model.writes; });
  detail::fail_file(fmt::format("model: none that writes is here; bring one with: {}",
                                known == models.end() ? "limelight models" : known->command));
}

GenerationOptions options_of(const Call& call) {
  GenerationOptions options;
  options.max_tokens = call.asked.value("max_tokens", int64_t{24});
  options.temperature = call.asked.value("temperature", 0.0f);
  options.top_k = call.asked.value("top_k", int64_t{40});
  options.top_p = call.asked.value("top_p", 0.95f);
  options.seed = call.asked.value("seed", uint64_t{0});
  return options;
}

std::string end_name(GenerationEnd end) {
  if (end == GenerationEnd::kEndToken) return "end_token";
  return end == GenerationEnd::kContextFull ? "context_full" : "max_tokens";
}

Json token_json(const TokenLight& light, size_t index) {
  Json top = Json::array();
  for (const TokenLight::Word& word : light.top) {
    top.push_back({{"word", word.word}, {"index", word.index}, {"weight", word.weight}});
  }
  return {{"token", light.token}, {"index", index}, {"top", top}, {"first_token", light.first}};
}

}  // namespace

Json generate_call(const Call& call) {
  const auto model = writer(call);
  const auto* decoder = dynamic_cast<const DecoderReader*>(&model->model());
  if (decoder == nullptr) {
    detail::fail_argument(fmt::format("model: expected one that writes, found {}", model->facts().name));
  }
  const std::string text = call.text();
  std::vector<int32_t> prompt;
  for (const Token& token : model->tokenizer().encode(text)) prompt.push_back(token.id);
  const HeadChoice head = choose_head(call, *model, text, static_cast<int64_t>(prompt.size()));

  TokenWatch watch(*decoder, text, {head.layer, head.head}, call.asked.value("words", size_t{5}));
  Json tokens = Json::array();
  GenerationOptions options = options_of(call);
  options.run = call.run;
  options.observer = [&](const LayerAttention& seen) {
    if (const auto light = watch.see(seen)) {
      tokens.push_back(token_json(*light, tokens.size()));
      call.part(tokens.back());
    }
  };
  const GenerationResult result = generate(decoder->model(), prompt, options, [&](int32_t id, std::string_view) {
    watch.add(id);
    return call.run.progress(1);
  });
  if (result.end == GenerationEnd::kCancelled) detail::fail_cancelled("[generate] stopped");
  return {{"model", model->facts().name},
          {"layer", head.layer},
          {"head", head.head},
          {"chosen_by", head.chosen_by},
          {"text", result.text},
          {"prompt_tokens", prompt.size()},
          {"end", end_name(result.end)},
          {"seconds", result.prefill_seconds + result.decode_seconds},
          {"tokens_per_second", tokens_per_second(result)},
          {"tokens", tokens}};
}

}  // namespace limelight::studio
