// limelight look: where a word looks.
#include <memory>

#include "commands.h"
#include "grid_view.h"
#include "model_arguments.h"
#include "output.h"
#include "progress.h"
#include "spotlight_view.h"
#include "studio/exported_page.h"
#include "studio/spotlight_csv.h"
#include "studio/spotlight_json.h"
#include "studio/spotlight_svg.h"
#include "text_source.h"

namespace limelight::cli {
namespace {

struct Look {
  TextSource source;
  ModelArguments model;
  std::string word, find, html, svg;
  std::optional<int64_t> layer, head, top;
  bool rollout = false, vectors = false, pieces = false, without_first = false, json = false, csv = false;

  void declare(Command& command) {
    source.declare(command);
    command.text("--word", word,
                 "The word that looks, it:2 for its second occurrence, #7 for its number; all words unless given",
                 "WORD");
    model.declare_model(command);
    declare_choice(command);
    model.declare_mask(command);
    model.declare_cut(command);
    declare_forms(command);
  }

  // What is looked at in the model.
  void declare_choice(Command& command) {
    constexpr Bounds kFromZero{.least = 0};
    command
        .number("--layer", layer,
                "The layer, counted from 0. Without --head: its head with the strongest link of the word. With "
                "--rollout: the last layer gone through",
                kFromZero)
        .number("--head", head,
                "The head, counted from 0. Without --layer: in the layer where its link is strongest. Without both: "
                "the model's default",
                kFromZero)
        .text("--find", find, "Choose the head that sends most of the word's light to this one", "WORD")
        .flag("--rollout", rollout,
              "Attention rollout: the shares of all words in this one after all layers, heads averaged and each layer "
              "half the word's own (Abnar and Zuidema 2020)")
        .needs("--find", "--word")
        .needs("--rollout", "--word")
        .excludes("--find", "--head")
        .excludes("--rollout", "--head")  // it takes all of them
        .excludes("--rollout", "--find");
  }

  void declare_forms(Command& command) {
    command.flag("--pieces", pieces, "The model's pieces instead of words")
        .flag(
            "--without-first", without_first,
            "Leave out the first token, where light rests that has no other place, and renormalise: the others add to "
            "100")
        .number("--top", top, "List only the N strongest words", {.least = 1})
        .flag("--json", json, "Print JSON")
        .flag("--vectors", vectors,
              "With --json: q of the word's tokens, k and v of all tokens, in this head; q and k also before the "
              "rotation by position where the model has one")
        .flag("--csv", csv,
              "Print comma-separated values; what a spreadsheet would run as a formula, as =, has a ' before it")
        .output_file("--html", html, "Write a page to this file")
        .output_file("--svg", svg, "Write a picture to this file")
        .needs("--top", "--word")
        .needs("--vectors", "--word")
        .needs("--vectors", "--json")
        .excludes("--vectors", "--rollout")
        .excludes("--html", "--rollout")  // a page shows single heads
        .excludes("--json", "--csv")
        .excludes("--top", "--json")  // these give every word
        .excludes("--top", "--csv")
        .rule([this] { return overwriting("--html", html, source.file()); })
        .rule([this] { return overwriting("--svg", svg, source.file()); })
        .rule([this] { return written_twice("--html", html, "--svg", svg); });
  }

  std::vector<std::string> words() const { return word.empty() ? std::vector<std::string>{} : std::vector{word}; }

  void run() const {
    const auto reader = model.load();
    ProgressBar progress("look");
    const studio::Spotlight light =
        studio::spotlight(*reader, source.text(),
                          {.words = words(),
                           .layer = layer,
                           .head = head,
                           .find = find,
                           .mask = model.mask(),
                           .unit = pieces ? studio::UnitKind::kPiece : studio::UnitKind::kWord,
                           .without_first = without_first,
                           .rollout = rollout,
                           .vectors = vectors,
                           .too_long = model.too_long(),
                           .run = {.progress = progress.callback()}});
    // Both before either is written: a picture may be refused.
    const studio::ExportedPage page =
        html.empty() ? studio::ExportedPage{} : studio::exported_page(*reader, light, model.mask(), {});
    const std::string picture = svg.empty() ? "" : studio::spotlight_svg(light);
    progress.finish();
    for (const std::string& line : light.notes) note(line);
    for (const std::string& line : page.notes) note(line);
    if (!html.empty()) write_file(html, page.html);
    if (!svg.empty()) write_file(svg, picture);
    if (json) return print(studio::spotlight_json(light));
    if (csv) return print(studio::spotlight_csv(light));
    if (!html.empty() || !svg.empty()) return;
    const Terminal terminal = standard_terminal();
    const studio::Spotlight shown = studio::legible(light);
    print(shown.grid ? grid_view(shown, terminal) : spotlight_view(shown, terminal, top));
  }
};

}  // namespace

void add_look(CommandLine& line) {
  const auto look = std::make_shared<Look>();
  Command command =
      line.add("look", "Show where a word of a text looks, or every word",
               "limelight look \"The animal didn't cross the street because it was too tired.\" --word it",
               [look] { look->run(); });
  look->declare(command);
}

}  // namespace limelight::cli
