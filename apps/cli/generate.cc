// limelight generate: a model goes on with a text, token by token.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "core/error.h"
#include "generation_view.h"
#include "interrupt.h"
#include "limelight/generation.h"
#include "model_arguments.h"
#include "output.h"
#include "progress.h"
#include "studio/token_rate.h"
#include "text_source.h"

namespace limelight::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kWordsWatched = 5;

struct Generate {
  TextSource source;
  ModelArguments model;
  std::optional<int64_t> max_tokens, top_k, seed;
  std::optional<float> temperature, top_p;
  std::vector<std::string> stop;
  std::string watch;
  bool greedy = false, chat = false, json = false;

  void declare(Command& command) {
    source.declare(command);
    model.declare_model(command, "smollm2");
    command.number("--max-tokens", max_tokens, "Write so many tokens at most; 256 unless given", {.least = 1})
        .flag("--greedy", greedy, "Always the likeliest token")
        .real("--temperature", temperature, "Draw, evenly where it is high; 0.7 unless given, 0 is --greedy", "X",
              {.least = 0})
        .number("--top-k", top_k, "Draw from the K likeliest tokens; 40 unless given, 0 from all", {.least = 0}, "K")
        .real("--top-p", top_p, "Draw from the likeliest tokens that have this probability together; 0.95 unless given",
              "P")
        .number("--seed", seed, "The same seed, the same text; 0 unless given", {.least = 0})
        .texts("--stop", stop, "End before this text; may be given several times")
        .flag("--chat", chat, "The text is a message to the model, which answers")
        .text("--watch", watch, "Print a line for each token: where it looked in this head, as L13.H8", "HEAD")
        .flag("--json", json, "Print JSON, when all is written")
        .excludes("--greedy", "--temperature")
        .excludes("--greedy", "--top-k")
        .excludes("--greedy", "--top-p")
        .rule([this] {
          return top_p && (*top_p <= 0 || *top_p > 1)
                     ? fmt::format("--top-p: expected a number above 0 and at most 1, found {}", *top_p)
                     : "";
        })
        .rule([this] {
          return watch.empty() || studio::parse_head(watch)
                     ? ""
                     : fmt::format("--watch: expected a layer and a head, as L13.H8, found {}", watch);
        });
  }

  GenerationOptions options() const {
    GenerationOptions options;
    options.max_tokens = max_tokens.value_or(256);
    options.temperature = greedy ? 0.0f : temperature.value_or(0.7f);
    options.top_k = top_k.value_or(40);
    options.top_p = top_p.value_or(0.95f);
    options.seed = static_cast<uint64_t>(seed.value_or(0));
    options.stop = stop;
    return options;
  }

  void run() const;
};

// One text, from the prompt to its end.
class Session {
 public:
  Session(const Generate& asked, const studio::DecoderReader& reader)
      : asked_(asked), reader_(reader), terminal_(standard_terminal()) {
    const std::string text = asked.source.text();
    if (text.empty()) detail::fail_argument("text: it is empty; give the model something to go on with");
    prompt_ = asked.chat ? chat_prompt(reader.model(), text) : text;
    for (const Token& token : reader.tokenizer().encode(prompt_)) ids_.push_back(token.id);
    if (const auto head = studio::parse_head(asked.watch)) watch_.emplace(reader, prompt_, *head, kWordsWatched);
  }

  void run() {
    GenerationOptions options = asked_.options();
    options.run.progress = [this](double share) {
      if (!began_) progress_.show(share);
      return !interrupt_.asked();
    };
    if (watch_) {
      options.observer = [this](const LayerAttention& seen) {
        if (const auto light = watch_->see(seen)) add(*light);
      };
    }
    if (streams() && terminal_.interactive && !asked_.chat) {
      print(paint(terminal_, Tone::kDim, streamed(terminal_, prompt_)));
    }
    const GenerationResult result =
        generate(reader_.model(), ids_, options, [this](int32_t id, std::string_view text) { return take(id, text); });
    progress_.finish();
    finish(result);
  }

 private:
  bool streams() const { return !asked_.json && !watch_; }

  bool take(int32_t id, std::string_view text) {
    if (!std::exchange(began_, true)) progress_.finish();
    if (watch_) watch_->add(id);
    if (streams()) print(streamed(terminal_, std::string(text)));
    printed_ += text.size();
    return !interrupt_.asked();
  }

  void add(const studio::TokenLight& light) {
    if (!asked_.json) return print(token_line(terminal_, light));
    Json words = Json::array();
    for (const auto& word : light.top) {
      words.push_back({{"word", word.word}, {"index", word.index}, {"weight", word.weight}});
    }
    watched_.push_back({{"token", light.token}, {"words", words}, {"first_token", light.first}});
  }

  void finish(const GenerationResult& result) const {
    if (asked_.json) {
      Json json = {{"prompt_ids", ids_},
                   {"ids", result.ids},
                   {"text", result.text},
                   {"seconds", result.prefill_seconds + result.decode_seconds},
                   {"tokens_per_second", studio::tokens_per_second(result)}};
      if (watch_) json["watch"] = watched_;
      print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    } else if (watch_) {
      print("\n" + streamed(terminal_, (asked_.chat ? "" : prompt_) + result.text) + "\n");
    } else {
      print(streamed(terminal_, result.text.substr(printed_)) + "\n");
    }
    note(summary(result, ids_.size()));
  }

  const Generate& asked_;
  const studio::DecoderReader& reader_;
  const Terminal terminal_;
  std::string prompt_;
  std::vector<int32_t> ids_;
  std::optional<studio::TokenWatch> watch_;
  Json watched_ = Json::array();
  bool began_ = false;
  size_t printed_ = 0;
  ProgressBar progress_{"reading"};
  Interrupt interrupt_;
};

void Generate::run() const {
  const auto reader = model.load_decoder("generate");
  Session(*this, *reader).run();
}

}  // namespace

void add_generate(CommandLine& line) {
  const auto generate = std::make_shared<Generate>();
  Command command = line.add("generate", "Let a model go on with a text, or answer",
                             "limelight generate \"Once upon a time, there was a small robot who\" --max-tokens 60",
                             [generate] { generate->run(); });
  generate->declare(command);
}

}  // namespace limelight::cli
