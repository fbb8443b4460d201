// limelight heads: every head, ranked by the light it sends from one word to another.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.h"
#include "model_arguments.h"
#include "output.h"
#include "progress.h"
#include "studio/spotlight.h"
#include "studio/spotlight_json.h"
#include "studio/unicode.h"
#include "table.h"
#include "terminal.h"
#include "text_source.h"

namespace limelight::cli {
namespace {

std::string head_table(const studio::HeadRanking& ranking) {
  std::vector<std::vector<std::string>> cells = {{"head", "percent", "weight"}};
  for (const studio::RankedHead& ranked : ranking.heads) {
    cells.push_back({studio::head_name(ranked.layer, ranked.head),
                     ranked.blocked ? "blocked" : fmt::format("{:.1f}", ranked.weight * 100),
                     ranked.blocked ? "" : fmt::format("{:.4f}", ranked.weight)});
  }
  return table(cells, "lrr");
}

// Lines of bars: "  L5.H11   67.1 %  ████".
std::string head_bars(const studio::HeadRanking& ranking, const Terminal& terminal) {
  std::string text;
  for (const studio::RankedHead& ranked : ranking.heads) {
    const std::string name = fit_left(studio::head_name(ranked.layer, ranked.head), 7);
    const std::string percent = ranked.blocked ? "  blocked" : fmt::format("  {:>5.1f} %  ", ranked.weight * 100);
    text += "  " + paint_share(terminal, ranked.weight, name) + percent;
    text += paint_share(terminal, ranked.weight, bar(ranked.weight, terminal.width - 22)) + "\n";
  }
  return text;
}

struct Heads {
  TextSource source;
  ModelArguments model;
  std::string from, to;
  std::optional<int64_t> top;
  bool json = false;

  void declare(Command& command) {
    source.declare(command);
    command.text("--from", from, "The word that looks, as --word of look", "WORD").required("--from");
    command.text("--to", to, "The word that is looked at", "WORD").required("--to");
    model.declare_model(command);
    model.declare_mask(command);
    model.declare_cut(command);
    command.number("--top", top, "List only the N strongest heads", {.least = 1}).flag("--json", json, "Print JSON");
  }

  void run() const {
    const auto reader = model.load();
    ProgressBar progress("heads");
    studio::HeadRanking ranking = studio::rank_heads(*reader, source.text(),
                                                     {.from = from,
                                                      .to = to,
                                                      .mask = model.mask(),
                                                      .too_long = model.too_long(),
                                                      .run = {.progress = progress.callback()}});
    progress.finish();
    for (const std::string& line : ranking.notes) note(line);
    if (top && *top < static_cast<int64_t>(ranking.heads.size())) ranking.heads.resize(static_cast<size_t>(*top));
    if (json) return print(studio::head_ranking_json(ranking));
    const Terminal terminal = standard_terminal();
    if (!terminal.interactive) return print(head_table(ranking));
    const std::string title =
        fmt::format("{}, mask {}: heads by the light that \"{}\" sends to \"{}\"", studio::legible(ranking.model),
                    studio::mask_name(ranking.mask), studio::legible(from), studio::legible(to));
    print(fmt::format("\n  {}\n\n{}\n", paint(terminal, Tone::kDim, title), head_bars(ranking, terminal)));
  }
};

}  // namespace

void add_heads(CommandLine& line) {
  const auto heads = std::make_shared<Heads>();
  Command command =
      line.add("heads", "Rank all heads by the light that one word sends to another",
               "limelight heads \"The animal didn't cross the street because it was too tired.\" --from it --to animal",
               [heads] { heads->run(); });
  heads->declare(command);
}

}  // namespace limelight::cli
