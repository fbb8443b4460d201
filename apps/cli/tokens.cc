// limelight tokens: the pieces a model reads, each with its place in the text.
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "limelight/tokenizer.h"
#include "model_arguments.h"
#include "output.h"
#include "studio/spotlight_json.h"
#include "table.h"
#include "text_source.h"

namespace limelight::cli {
namespace {

struct Tokens {
  TextSource source;
  ModelArguments model;
  bool json = false;

  void run() const {
    const auto reader = model.load();
    const std::string text = source.text();
    const std::vector<Token> tokens = reader->tokenizer().encode(text);
    if (json) return print(studio::tokens_json(text, tokens));
    std::vector<std::vector<std::string>> cells = {{"index", "id", "piece", "bytes"}};
    for (const Token& token : tokens) {
      const std::string bytes = token.special ? "special" : fmt::format("{}-{}", token.span.begin, token.span.end);
      cells.push_back({std::to_string(cells.size() - 1), std::to_string(token.id), token.piece, bytes});
    }
    print(table(cells, "rrll"));
  }
};

}  // namespace

void add_tokens(CommandLine& line) {
  const auto tokens = std::make_shared<Tokens>();
  Command command = line.add("tokens", "Show the pieces a model reads a text as",
                             "limelight tokens \"Attention is all you need\"", [tokens] { tokens->run(); });
  tokens->source.declare(command);
  tokens->model.declare_model(command);
  command.flag("--json", tokens->json, "Print JSON; start and end count characters");
}

}  // namespace limelight::cli
